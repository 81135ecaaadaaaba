"""The pages as one file of HTML that needs no server and no network: `document` puts it together, `static` turns Dash's
components into markup, `tree_svg` draws the trees."""

from hopscope_dashboard.report.document import document

__all__ = ["document"]
