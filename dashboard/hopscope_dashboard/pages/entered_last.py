"""Who entered a collective last, by how much, and what that rank did until then."""

from typing import Any

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard import leads, run_timeline
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data import Row, TraceData

LATE = "entered-last"


def lead(data: TraceData, fact: Row) -> list[Component | str]:
    """Give it as words of a lead; nothing where the clocks cannot tell who was last, or it entered with another."""
    rank, margin = fact["last_rank"], fact["margin_ns"]
    if rank is None or not margin:
        return []
    enter = fact["first_enter_ns"] + fact["spread_ns"]
    stretch = data.timeline.computing(rank, enter - 1)
    begin = enter - margin
    if stretch is not None and stretch["begin_ns"] <= begin:
        begin, did = stretch["begin_ns"], _computed(stretch)
    else:
        shares = [f"{part['category']} {part['text']}" for part in run_timeline.shares(data, rank, begin, enter)]
        did = [f"In that time: {', '.join(shares)}. "]
    said = f"Rank {rank} entered last, {quantities.duration(margin)} after the rank before it."
    before = leads.timeline(begin, enter, ranks=rank)
    words = [html.Strong(said), " ", *did, dcc.Link("See it in the timeline", href=before), ". "]
    return [html.Span(words, id=LATE)]


def _computed(stretch: Row) -> list[Any]:
    before, region = stretch["before"], stretch["region"]
    named = run_timeline.named(before)
    call = mark(named, None if before["comm"] is None else leads.collective(named.split(" ")[1]), "see it")
    where = f", called from {before['place']}" if before["place"] else ""
    lasted = quantities.duration(stretch["end_ns"] - stretch["begin_ns"])
    return [f"Until then it computed for {lasted}{run_timeline.inside(region)}, since ", call, f"{where}. "]
