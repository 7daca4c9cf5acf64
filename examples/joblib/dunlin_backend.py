# SPDX-License-Identifier: MIT
"""Dunlin as a backend of joblib, and so of all that takes joblib's, such as scikit-learn.

    import dunlin_backend
    with joblib.parallel_backend("dunlin", cpus=2, memory="1G"):
        joblib.Parallel()(joblib.delayed(function)(value) for value in values)

joblib and cloudpickle must be installed on the nodes, too.
"""

import dunlin
from joblib import register_parallel_backend
from joblib._parallel_backends import ParallelBackendBase, SequentialBackend

#: Workers at most, where all that there are were asked for (n_jobs=-1).
_WORKERS = 64


class DunlinBackend(ParallelBackendBase):
    supports_timeout = True

    def __init__(self, nesting_level=None, inner_max_num_threads=None, **group):
        """`group`: what dunlin.Executor takes, such as the demand of each worker."""
        super().__init__(nesting_level, inner_max_num_threads)
        self._group = group
        self._executor = None

    def effective_n_jobs(self, n_jobs):
        if n_jobs == 0:
            raise ValueError("n_jobs=0 means nothing")
        return _WORKERS if n_jobs is None or n_jobs < 0 else n_jobs

    def configure(self, n_jobs=-1, parallel=None, **unused):
        self.parallel = parallel
        self._workers = self.effective_n_jobs(n_jobs)
        self._executor = dunlin.Executor(max_workers=self._workers, **self._group)
        return self._workers

    def apply_async(self, func, callback=None):
        future = self._executor.submit(func)
        future.get = future.result  # As joblib calls it.
        if callback is not None:
            future.add_done_callback(callback)
        return future

    submit = apply_async  # As joblib calls it since 1.5.

    def abort_everything(self, ensure_ready=True):
        self._executor.shutdown(cancel_futures=True)
        if ensure_ready:
            self.configure(self._workers, self.parallel)

    def terminate(self):
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None

    def get_nested_backend(self):
        """What runs in a worker has the worker's CPUs, and no more."""
        return SequentialBackend(nesting_level=(self.nesting_level or 0) + 1), None


register_parallel_backend("dunlin", DunlinBackend)
