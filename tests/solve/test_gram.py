"""Products of sparse tables against those of the dense ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from ordain.solve.gram import cell_sums, sparse_gram


def table(seed, kind):
    rng = np.random.default_rng(seed)
    rows = sparse.random_array((40, 7), density=0.4, rng=rng, format="csr").astype(kind)
    return rows, rng.normal(size=40), rng.integers(0, 5, 40), rng


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(4))
def test_products_are_those_of_the_dense_table(seed, kind):
    rows, weights, cells, _ = table(seed, kind)
    dense = rows.toarray().astype(float)
    assert_allclose(sparse_gram(rows, weights), dense.T @ np.diag(weights) @ dense, atol=1e-12)
    expected = np.array([(weights[cells == k, None] * dense[cells == k]).sum(axis=0) for k in range(6)])
    assert_allclose(cell_sums(rows, cells, weights, 6), expected, atol=1e-12)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_entries_may_stand_in_any_order_and_twice(index):
    columns, values = np.array([2, 0, 2, 1], index), np.array([1.0, 2.0, 4.0, 3.0])
    rows = sparse.csr_matrix((values, columns, np.array([0, 3, 4], index)), (2, 3))
    dense = np.array([[2.0, 0, 5], [0, 3, 0]])
    weights = np.array([0.5, -1.0])
    assert_allclose(sparse_gram(rows, weights), dense.T @ np.diag(weights) @ dense)
    assert_allclose(cell_sums(rows, np.array([1, 1]), weights, 2), [[0, 0, 0], weights @ dense])


def test_an_empty_table_has_products_of_zero():
    rows = sparse.csr_matrix((3, 2))
    assert not sparse_gram(rows, np.ones(3)).any()
    assert not cell_sums(rows, np.zeros(3, int), np.ones(3), 1).any()
