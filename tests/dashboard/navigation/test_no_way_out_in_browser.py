"""No control of the pages or of the report leads off the machine. If one did, a policy would make the browser refuse
the request."""

from pathlib import Path

import pytest
from hopscope_dashboard.data.trace import Machine
from hopscope_dashboard.pages import PAGES
from hopscope_dashboard.report.machine import machine_document
from playwright.sync_api import Browser, BrowserContext, Page, expect
from probed_machine import probed
from reading import PATIENCE_MS

ADDRESSES = (
    "all => all.map(each => each.getAttribute('href') ?? each.getAttribute('src') ?? each.getAttribute('action'))"
)
FOREIGN = "https://elsewhere.example"


def click_every_button(page: Page) -> list[str]:
    """Clicks every button under every figure and table. Returns the saved files."""
    buttons = page.locator("[data-save]")
    kinds = []
    for index in range(buttons.count()):
        kinds.append(buttons.nth(index).get_attribute("data-save") or "")
        buttons.nth(index).dispatch_event("click")
    return kinds


@pytest.mark.browsers
@pytest.mark.parametrize("path", [page.path for page in PAGES])
def test_no_link_or_button_of_a_page_leads_to_another_host(
    page: Page, context: BrowserContext, address: str, path: str
) -> None:
    # The fixture `page` fails on a request to another host, and on a request that the policy refused.
    pages = context.pages
    page.goto(f"{address}{path}")
    expect(page.locator("#content h1")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    expect(page.locator("[data-dash-is-loading=true]")).to_have_count(0)  # no answer leads to another request
    for figure in page.locator(".dash-graph").all():  # figures are drawn after the last request
        expect(figure.locator(".main-svg").first).to_be_attached()
    addresses = page.locator("[href], [src], [action]").evaluate_all(ADDRESSES)
    # The first address is that of the page's icon; styles and scripts follow. A script loads only absolute addresses.
    assert len(addresses) > 10
    local_addresses = [location.removeprefix(f"{address}/") for location in addresses]
    assert [location for location in local_addresses if "://" in location or location.startswith("//")] == []
    # The page does not have Plotly's own buttons, one of which offers to upload the figure.
    expect(page.locator(".modebar-btn")).to_have_count(0)
    kinds = click_every_button(page)
    assert {"png", "svg"} <= set(kinds) or not page.locator(".dash-graph").count()
    page.wait_for_timeout(300)
    assert context.pages == pages


REFUSED = [
    "connect-src", "connect-src", "frame-src", "img-src", "object-src", "script-src-elem", "script-src-elem",
    "style-src-elem",
]  # fmt: skip
"""The directives by which a browser refuses the attempts of the test, in order."""


def test_the_browser_refuses_what_a_page_would_load_from_or_send_to_another_host(
    browser: Browser, address: str
) -> None:
    context = browser.new_context()
    requests: list[str] = []
    context.route(f"{FOREIGN}/**", lambda route: (requests.append(route.request.url), route.abort()))
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#content h1")).to_be_visible(timeout=PATIENCE_MS)
    refused = page.evaluate(
        f"""async () => {{
          const refused = [];
          document.addEventListener("securitypolicyviolation", event => refused.push(event.effectiveDirective));
          const add = (kind, set) => document.body.append(Object.assign(document.createElement(kind), set));
          await fetch("{FOREIGN}/fetch").catch(() => 0);
          navigator.sendBeacon("{FOREIGN}/beacon", "x");
          add("img", {{ src: "{FOREIGN}/image" }});
          add("script", {{ src: "{FOREIGN}/script" }});
          add("script", {{ textContent: "window.inline = true" }});
          add("link", {{ rel: "stylesheet", href: "{FOREIGN}/style" }});
          add("iframe", {{ src: "{FOREIGN}/frame" }});
          add("object", {{ data: "{FOREIGN}/object" }});
          const until = Date.now() + 60000;
          while (refused.length < {len(REFUSED)} && Date.now() < until) await new Promise(done => setTimeout(done, 50));
          return [refused.sort(), window.inline];
        }}"""
    )
    assert refused == [REFUSED, None]
    assert requests == []
    context.close()


@pytest.mark.browsers
def test_no_button_of_a_machines_report_leads_anywhere(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(machine_document(Machine(probed(tmp_path / "machine.json", 600)), "0"))
    context = browser.new_context()
    requests: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"file://{file}")
    page.locator(".js-plotly-plot .main-svg").last.wait_for(state="attached")
    expect(page.locator(".modebar-btn")).to_have_count(0)
    assert set(click_every_button(page)) == {"csv", "png", "svg"}
    page.wait_for_timeout(300)
    assert context.pages == [page]
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()
