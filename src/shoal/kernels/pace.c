/* How far a kernel is, and whether it is to stop.
 *
 * A kernel runs for as long as it takes, and meanwhile Python neither sees how far it is nor hears of Ctrl-C. So long
 * kernels say now and then how far they are, in memory that Python watches, and ask the interpreter to do what signals
 * ask for. If that raises, the kernel returns early, and its caller raises the same instead of using what was made. */
#include <time.h>

#include "native.h"

enum { OFTEN = 50000000 }; /* nanoseconds between two questions */

typedef struct {
    int64_t done, total, stopped;
    void *error[3]; /* what a signal raised: its type, itself, and where */
} Pace;

/* The interpreter's own functions: hold it, let it go, do what signals ask for, and take what they raised. */
typedef struct {
    int (*hold)(void);
    void (*let_go)(int);
    int (*check)(void);
    void (*take)(void **, void **, void **);
} Interpreter;

static _Thread_local Pace *pace;
static _Thread_local int64_t asked;
static Interpreter interpreter;

/* Use some memory for how far the kernels of this thread are, and some functions, by their addresses. */
KERNEL void watch(int64_t *memory, const int64_t *functions) {
    pace = (Pace *)memory;
    memcpy(&interpreter, functions, sizeof interpreter);
}

int stopping(int64_t done, int64_t total) {
    struct timespec now;
    if (!pace) return 0;
    pace->done = done;
    pace->total = total;
    if (pace->stopped) return 1;
    if (!timespec_get(&now, TIME_UTC)) return 0;
    int64_t time = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (time >= asked && time < asked + OFTEN) return 0;
    asked = time;
    int held = interpreter.hold();
    if (interpreter.check() < 0) {
        interpreter.take(pace->error, pace->error + 1, pace->error + 2);
        pace->stopped = 1;
    }
    interpreter.let_go(held);
    return pace->stopped != 0;
}
