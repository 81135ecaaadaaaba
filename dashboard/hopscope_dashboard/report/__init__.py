"""The pages as one file of HTML that needs no server and no network: `document` puts it together of a trace's,
`machine_document` of a machine file's; `static` turns Dash's components into markup, `tree_svg` draws the trees."""

from hopscope_dashboard.report.document import document, machine_document

__all__ = ["document", "machine_document"]
