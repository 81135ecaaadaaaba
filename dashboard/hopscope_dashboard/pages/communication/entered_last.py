"""The rank that entered a collective last: by how much, and its activity until then."""

from typing import Any

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data.trace import Row, TraceData
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.timeline import run_timeline

LAST_RANK = "entered-last"


def lead(data: TraceData, fact: Row) -> list[Component | str]:
    """Say in a page's lead which rank was last; an empty list if the clocks cannot tell, or if two ranks entered
    together."""
    rank, margin = fact["last_rank"], fact["margin_ns"]
    if rank is None or not margin:
        return []
    enter = fact["first_enter_ns"] + fact["spread_ns"]
    stretch = data.timeline.computing(rank, enter - 1)
    begin = enter - margin
    if stretch is not None and stretch["begin_ns"] <= begin:
        begin, activity = stretch["begin_ns"], _computed(stretch)
    else:
        shares = [f"{part['category']} {part['text']}" for part in run_timeline.shares(data, rank, begin, enter)]
        activity = [f"In that time: {', '.join(shares)}. "]
    sentence = f"Rank {rank} entered last, {quantities.duration(margin)} after the rank before it."
    address = leads.timeline(begin, enter, ranks=rank)
    words = [html.Strong(sentence), " ", *activity, dcc.Link("See it in the timeline", href=address), ". "]
    return [html.Span(words, id=LAST_RANK)]


def _computed(stretch: Row) -> list[Any]:
    call_before, region = stretch["before"], stretch["region"]
    name = run_timeline.call_name(call_before)
    call = mark(name, None if call_before["comm"] is None else leads.collective(name.split(" ")[1]), "see it")
    place_phrase = f", called from {call_before['place']}" if call_before["place"] else ""
    lasted = quantities.duration(stretch["end_ns"] - stretch["begin_ns"])
    return [
        f"Until then it computed for {lasted}{run_timeline.region_phrase(region)}, since ",
        call,
        f"{place_phrase}. ",
    ]
