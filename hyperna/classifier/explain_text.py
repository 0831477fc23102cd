"""Numbers, dates and their differences in the words of an explanation."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from hyperna._words import number_text
from hyperna.tables.dates import MONTHS, STEPS, WEEKDAYS, moment_text
from hyperna.tables.features import Feature

# Significant digits of values and differences in texts; the attributes have all of them.
DIGITS = 6
# A value in a text may lie beyond the border by so much of the change, to have fewer digits.
SLACK = 0.005


def short_number(value: float) -> str:
    """Return a difference with three digits, or as many as stand before its decimal point.

    Examples
    --------
    >>> short_number(0.12345), short_number(1708.35), short_number(1e20)
    ('0.123', '1708', '1e+20')
    """
    return f"{value:.0f}" if 1000 <= abs(value) < 1e15 else number_text(value, 3)


def few_digits(value: float) -> str:
    """Return a value with `DIGITS` digits."""
    return number_text(value + 0.0, DIGITS)


def beside_text(value: float, threshold: float) -> str:
    """Return by how much a value is more or less than a threshold."""
    if not math.isfinite(value):
        return ""
    if value == threshold:
        return ", the threshold itself"
    relation = "more" if value > threshold else "less"
    difference = short_number(abs(value - threshold))
    return f", {difference} {relation} than {number_text(threshold, None)}"


def signed_text(value: float) -> str:
    """Return a difference with its sign."""
    return f"{'+' if value >= 0 else '-'}{short_number(abs(value))}"


def value_text(value: Any) -> str:
    """Return a value of a column: a number with few digits, or a text."""
    return few_digits(value) if isinstance(value, float) else str(value)


def date_text(feature: Feature, value: float) -> str:
    """Return a date or a part of it in words."""
    if feature.kind == "date":
        return moment_text(feature.origin, round(value * STEPS[feature.step]), feature.step)
    if feature.kind == "month":
        return MONTHS[int(value) - 1]
    if feature.kind == "weekday":
        return WEEKDAYS[int(value) - 1]
    return f"{value:g}"


def beyond_text(before: float, after: float, inner: float, outer: float) -> tuple[str, float]:
    """Return words for the values from `after` on, away from `before`, and the number in them.

    It has few digits.

    `inner` is the last value before `after`, which has the old answer, and `outer` the last one
    beyond it with the new one.

    Examples
    --------
    >>> beyond_text(39.0, math.nextafter(40.0, 41.0), 40.0, 1e300)
    ('more than 40', 40.0)
    >>> beyond_text(45.0, 40.0, math.nextafter(40.0, 41.0), -1e300)
    ('at most 40', 40.0)
    >>> beyond_text(39.0, 40.12345678, 40.12345677, 1e300)
    ('at least 40.124', 40.124)
    """
    if after == before:
        return f"= {few_digits(after)}", after
    up = after > before
    if len(number_text(after, None)) <= DIGITS + 2:
        return f"at {'least' if up else 'most'} {number_text(after, None)}", after
    if len(number_text(inner, None)) <= DIGITS + 2:
        return f"{'more' if up else 'less'} than {number_text(inner, None)}", inner
    shown = rounded_beyond(before, after, outer)
    return f"at {'least' if up else 'most'} {number_text(shown, None)}", shown


def rounded_beyond(before: float, after: float, outer: float) -> float:
    """Return a number with few digits from `after` to `outer`, away from `before`.

    It has five digits, counted from the first one of the larger value, or as many as it takes to be
    near `after`.

    Examples
    --------
    >>> rounded_beyond(25.38, 3.0762345, -1e300), rounded_beyond(2.5, 1e-17, -1e300)
    (3.076, 0.0)
    """
    up = after > before
    room = SLACK * abs(after - before)
    first = math.floor(math.log10(max(abs(before), abs(after))))
    for digits in range(5, 17):
        step = Decimal(1).scaleb(first + 1 - digits)
        rounding = ROUND_CEILING if up else ROUND_FLOOR
        shown = float(Decimal(after).quantize(step, rounding)) + 0.0
        beyond = after <= shown <= outer if up else outer <= shown <= after
        if beyond and abs(shown - after) <= room:
            return shown
    return after


def from_text(before: float, after: float) -> tuple[str, str]:
    """Return words for the value before a change and for the step to the one after it.

    The step is the difference of the two numbers as they are shown. There is none between a value
    and what lies just beyond it ("less than 2 instead of 2").

    Examples
    --------
    >>> from_text(25.38, 3.076), from_text(40.12345678, 40.1234571), from_text(2.0, 2.0)
    (('25.38', ' (-22.304)'), ('40.12345678', ' (+0.00000032)'), ('2', ''))
    """
    target = Decimal(number_text(after, None))
    exact = number_text(before, None)
    was = exact if len(exact) <= DIGITS + 2 else few_digits(before)
    # Where the change is smaller than the digits of the value, all of them are needed.
    if abs(float(target) - float(was)) < 1000 * abs(float(was) - before):
        was = exact
    step = target - Decimal(was)
    if step == 0:
        return was, ""
    if len(step.as_tuple().digits) > 17:  # numbers of very different sizes
        return was, f" ({float(step):+.6g})"
    plain = f"{step:+f}" if abs(step.adjusted()) < 15 else f"{float(step):+.17g}"
    return was, f" ({plain.rstrip('0').rstrip('.') if '.' in plain else plain})"
