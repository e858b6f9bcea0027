"""Startup module of Python in a command of `rapidbleu run`; see rapidbleu/switch.

Any Python may find this file on its path, so it parses on all versions and prints nothing. It
imports only os and sys until a library with metrics to switch is imported.
"""

import os
import sys


class Finder(object):
    """Finds modules like other finders, and calls `done` after executing those in `names`."""

    is_rapidbleus = True  # so that instances do not delegate to each other

    def __init__(self, names, done):
        self.names = frozenset(names)
        self.done = done

    def find_spec(self, name, path=None, target=None):
        """Return the spec of the other finders, with a loader that calls `done`."""
        if name not in self.names:
            return None
        for finder in list(sys.meta_path):
            if hasattr(finder, "find_spec") and not hasattr(finder, "is_rapidbleus"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return self._told(spec)
        return None

    def _told(self, spec):
        loader, done = spec.loader, self.done
        if not hasattr(loader, "exec_module") or isinstance(loader, type):
            return spec
        run = loader.exec_module

        def exec_module(module):
            if module.__spec__ is not spec:  # of another module with this loader
                return run(module)
            vars(loader).pop("exec_module", None)
            run(module)
            done(module)
            return None

        try:
            loader.exec_module = exec_module
        except Exception:
            pass
        return spec


def _switch(module):
    try:
        switch = __import__("rapidbleu.switch", fromlist=["switch_module"])  # which loads `Finder`
    except ImportError:
        return
    switch.switch_module(module)


def _start():
    """Watch imports if this Python has the rapidbleu that contains this file."""
    here = os.path.dirname(os.path.realpath(__file__))
    paths = [os.path.realpath(path) for path in sys.path]
    sys.path[:] = [path for path, real in zip(sys.path, paths) if real != here]
    names = os.environ.get("RAPIDBLEU_RUN", "").split()
    home = os.path.dirname(os.path.dirname(here))
    if names and home in paths and sys.version_info >= (3, 11):
        sys.meta_path.insert(0, Finder(names, _switch))
    elif names:
        _tell_of_absence()


def _tell_of_absence():
    """Say that this Python has no rapidbleu, if `run -v` or `--report` asks for it."""
    python = sys.executable or "?"
    if os.environ.get("RAPIDBLEU_RUN_VERBOSE"):
        text = "rapidbleu, process %d: %s has no rapidbleu, so nothing is accelerated\n"
        sys.stderr.write(text % (os.getpid(), python))
    folder = os.environ.get("RAPIDBLEU_RUN_REPORT")
    if folder:
        name = "%d-%s.absent" % (os.getpid(), id(python))
        with open(os.path.join(folder, name), "wb") as file:
            file.write(python.encode("utf-8", "replace"))


def _run_next():
    """Run the sitecustomize module that this one hides."""
    own = sys.modules.pop(__name__, None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if "No module named" not in str(error) or __name__ not in str(error):
            raise
    finally:
        sys.modules.setdefault(__name__, own)


if __name__ == "sitecustomize":
    try:
        _start()
    except Exception:
        pass
    _run_next()
