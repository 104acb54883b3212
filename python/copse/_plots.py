"""Pictures, through matplotlib where it is there."""

from sklearn.utils.validation import check_is_fitted


def plot_history(*models, ax=None, against="iteration"):
    """Draws the relative error of fitted NMF or DCNMF models, against 'iteration' or 'seconds'. Returns the axes."""
    if against not in ("iteration", "seconds"):
        raise ValueError(f"against must be 'iteration' or 'seconds', not {against!r}.")
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("Pictures are drawn by matplotlib: install it to have them.") from error
    if ax is None:
        _, ax = matplotlib.pyplot.subplots()
    for model in models:
        check_is_fitted(model, "history_")
        label = f"{type(model).__name__} {getattr(model, 'solver', '')}, {model.n_components_} components"
        ax.plot(model.history_[against], model.history_.relative_error, label=label)
    ax.set_xlabel(against)
    ax.set_ylabel("relative error")
    ax.legend()
    return ax
