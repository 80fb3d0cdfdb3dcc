"""Pictures of how good a ranking is, and one page of HTML that shows them; the pictures draw themselves on any axes."""

from typing import TYPE_CHECKING

from ordain._lazy import lazy

if TYPE_CHECKING:
    from ordain.report.board_display import LeaderboardDisplay as LeaderboardDisplay
    from ordain.report.choice_display import ComparisonDisplay as ComparisonDisplay
    from ordain.report.roc_display import RocDisplay as RocDisplay
    from ordain.report.top_display import TopOfListDisplay as TopOfListDisplay
    from ordain.report.tournament_display import TournamentDisplay as TournamentDisplay

_HOMES = {
    "ComparisonDisplay": "ordain.report.choice_display",
    "LeaderboardDisplay": "ordain.report.board_display",
    "RocDisplay": "ordain.report.roc_display",
    "TopOfListDisplay": "ordain.report.top_display",
    "TournamentDisplay": "ordain.report.tournament_display",
}

if not TYPE_CHECKING:  # to types a name that is mistyped is none
    __getattr__, __dir__, __all__ = lazy("ordain.report", _HOMES)
