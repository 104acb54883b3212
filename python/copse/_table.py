"""Tables for people."""


def table(**columns):
    """A pandas DataFrame."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("This table is a pandas DataFrame: install pandas to have it.") from error
    return pandas.DataFrame(columns)
