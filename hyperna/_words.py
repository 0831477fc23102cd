"""Words that depend on a number."""


def counted(number: int, noun: str, form: str = ",") -> str:
    """Return a number with its noun, in the singular if it is one.

    Examples
    --------
    >>> counted(1, "run"), counted(0, "success"), counted(12345, "run"), counted(4096, "point", "d")
    ('1 run', '0 successes', '12,345 runs', '4096 points')
    """
    return f"{number:{form}} {plural(noun) if number != 1 else noun}"


def plural(noun: str) -> str:
    """Return the plural of a noun that has a regular one.

    Examples
    --------
    >>> plural("run"), plural("class")
    ('runs', 'classes')
    """
    return noun + ("es" if noun.endswith("s") else "s")


def are(number: int) -> str:
    """Return the verb that goes with a number.

    Examples
    --------
    >>> are(1), are(2)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"
