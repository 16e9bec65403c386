"""Tables, figures and verdicts from tidy frames: the common look (:mod:`.look`), and a module per experiment."""
