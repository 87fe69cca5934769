"""Options that can be given only once are refused when they are given again: the last one must not win unseen."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from shoal.errors import ParameterError


class OnceCommand(TyperCommand):
    """A command of which every option that does not gather values may be given once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Look at what was given, in its order, before it is taken."""
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for option in self.get_params(ctx):
                gathers = getattr(option, "multiple", True)  # as arguments do
                if not gathers and sum(given is option for given in order) > 1:
                    raise ParameterError(
                        f"{max(option.opts, key=len)} is given more than once.", "Give it once: it has one value."
                    )
        return super().parse_args(ctx, args)
