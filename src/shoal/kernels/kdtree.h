/* Points in a space of numbers and categories, and a tree that finds the farthest and the nearest of them exactly.
 *
 * Two points differ in a number by the square of the difference, and in a category by a given weight if they are not
 * equal. Sums are taken column after column, in every kernel, so that a distance has the same bits everywhere. */
#ifndef SHOAL_KDTREE_H
#define SHOAL_KDTREE_H

#include "native.h"

typedef struct {
    const double *points;  /* row after row: numbers, then codes of categories below 2^24 */
    int64_t m, numbers;    /* the columns, and how many of them are numbers */
    const double *weights; /* the squared distance between two categories of a column */
} Space;

/* Slots in a leaf and nodes in a family: as many as make branchless vector code and can be left out together. */
enum { LEAF = 32, FAMILY = 16, LEVELS = 8 };

typedef struct {
    Space space;
    int64_t leaves;        /* a power of two */
    int64_t levels;        /* families of leaves are level 0; the last level is one family */
    int64_t start[LEVELS]; /* the first family of each level */
    float *cells;          /* the points leaf after leaf, column after column */
    float *boxes;          /* family after family, column after column: the lowest and the highest of each node */
    float *query;          /* what is asked for, and behind it the weights */
    int32_t *rows;         /* the row on each slot */
    int32_t *left;         /* per node, how many points are left */
    int32_t *lowest;       /* per node, the lowest row that is left */
    int32_t *order;        /* rows, while the tree is grown */
    int32_t *slot;         /* the slot of each row; -1 when it was taken away */
    double reach;          /* no point is farther from zero */
} Tree;

/* One of several points that were looked for. */
typedef struct {
    double distance;
    int32_t row;
} Found;

double squared_distance(const Space *space, const double *a, const double *b);
Tree tree_in(Space space, int64_t most, float *floats, int32_t *integers);
void tree_grow(Tree *tree, const int32_t *rows, int64_t n);
void tree_remove(Tree *tree, int32_t row);
int64_t tree_rows(const Tree *tree, int32_t *rows);
int32_t tree_farthest(const Tree *tree, const double *query);
int64_t tree_nearest(const Tree *tree, const double *query, int64_t k, Found *found);

#endif
