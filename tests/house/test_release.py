"""`make release` refuses a tree that is not ready, and says why."""

import subprocess
import zipfile
from pathlib import Path

import pytest
import release

CHANGELOG = "# Changelog\n\n## 0.3.0\n\n- News.\n\n## 0.2.0\n\n- Old news.\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A committed tree that is ready for release, as far as version and changelog go."""
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.3.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / "changes").mkdir()
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(tree: Path, *words: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *identity, *words], cwd=tree, check=True)


def commit(tree: Path) -> None:
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "x")


def with_version(tree: Path, version: str) -> None:
    (tree / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')


def test_a_tree_that_is_ready_gets_the_command_that_tags_it(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The other checks run other commands of this tree, which has none.
    for name in ("documents", "wheels"):
        monkeypatch.delitem(release.CHECKS, name)
    assert release.main(tree) == 0
    head = release.output(tree, "git", "rev-parse", "HEAD").strip()
    assert capsys.readouterr().out.splitlines()[-1].endswith(f"git tag -a v0.3.0 -m 'Hopscope 0.3.0' {head}")


def test_a_failed_check_is_named_and_no_command_is_printed(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("documents", "wheels"):
        monkeypatch.delitem(release.CHECKS, name)
    with_version(tree, "0.4.0")
    assert release.main(tree) == 1
    lines = capsys.readouterr().out
    assert lines.splitlines()[-1] == "release: refused because of version, changelog"
    assert "CHANGELOG.md does not begin with 0.4.0; run: towncrier build --version 0.4.0" in lines
    assert "git tag" not in lines


def test_a_version_that_is_tagged_or_unfinished_or_not_committed_is_refused(tree: Path) -> None:
    assert list(release.version_problems(tree)) == []
    git(tree, "tag", "v0.3.0")
    assert ["the tag v0.3.0 exists" in problem for problem in release.version_problems(tree)] == [True]
    with_version(tree, "0.4.dev1")
    unfinished, uncommitted = release.version_problems(tree)
    assert "0.4.dev1 in pyproject.toml is not a release's version" in unfinished
    assert "pyproject.toml" in uncommitted


def test_the_changelog_has_to_begin_with_the_version_and_to_have_every_sentence(tree: Path) -> None:
    assert list(release.changelog_problems(tree)) == []
    (tree / "changes" / "+new.md").write_text("A new thing.\n")
    assert "lacks 1 sentences that are still in changes/" in next(release.changelog_problems(tree))
    (tree / "changes" / "+new.md").unlink()
    # Neither an older section nor a version that begins alike will do.
    for version in ("0.2.0", "0.3"):
        with_version(tree, version)
        assert f"does not begin with {version};" in next(release.changelog_problems(tree))
    with_version(tree, "0.3.0")
    (tree / "CHANGELOG.md").write_text(CHANGELOG.replace("- News.", ""))
    assert list(release.changelog_problems(tree)) == ["CHANGELOG.md says nothing about 0.3.0"]


def test_a_wheel_that_lacks_a_collector_or_is_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "hopscope-0.3.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for library in release.COLLECTORS[:-1]:
            archive.writestr(f"hopscope/prebuilt/libhopscope-{library}.so", "")
        archive.writestr("hopscope-0.3.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    monkeypatch.setattr(release, "LARGEST_BYTES", 10)
    problems = list(release.wheel_problems(wheel, "0.4.0"))
    assert [text.partition(".whl ")[2].partition(" ")[0] for text in problems[:4]] == ["is", "has", "lacks", "lacks"]
    assert "lacks the collectors for abi-1" in problems[2]
