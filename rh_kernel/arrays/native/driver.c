/* The driver: an extension type whose instances run a launch table on arrays from Python; compiled once.
 *
 * The parts of Python's stable ABI that it uses are declared here: its headers need not be installed, and compiling them would
 * take longer than everything else. Inputs that do not match the plan exactly are passed to the slow path in Python. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct object {
  intptr_t references;
  struct object *type;
} PyObject;
typedef PyObject *vectorcall(PyObject *, PyObject *const *, size_t, PyObject *);
typedef struct {
  const char *name;
  void *function;
  int flags;
  const char *doc;
} PyMethodDef;
typedef struct {
  const char *name;
  int type;
  intptr_t offset;
  int flags;
  const char *doc;
} PyMemberDef;
typedef struct {
  int slot;
  void *function;
} PyType_Slot;
typedef struct {
  const char *name;
  int size, item, flags;
  PyType_Slot *slots;
} PyType_Spec;
enum { NUMBER = 19, READ_ONLY = 1, FASTCALL = 0x80 };
enum { CALL = 50, FREED = 52, METHODS = 64, MEMBERS = 72 };
enum { NOT_MADE_BY_CALLS = 1 << 7, IMMUTABLE = 1 << 8, HAS_VECTORCALL = 1 << 11 };

extern PyObject *PyExc_ValueError, *PyExc_RuntimeError, *PyExc_TypeError, _Py_NoneStruct;
PyObject *PyErr_NoMemory(void);
void PyErr_SetString(PyObject *, const char *);
PyObject *PyObject_Vectorcall(PyObject *, PyObject *const *, size_t, PyObject *);
PyObject *PyVectorcall_Call(PyObject *, PyObject *, PyObject *);
PyObject *PyType_FromSpec(PyType_Spec *);
PyObject *PyType_GenericAlloc(PyObject *, intptr_t);
void PyObject_Free(void *);
void Py_IncRef(PyObject *);
void Py_DecRef(PyObject *);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *);

/* The beginning of a NumPy array object, which is part of NumPy's ABI. */
typedef struct {
  PyObject object;
  char *data;
  int ndim;
  intptr_t *shape, *strides;
  PyObject *base, *dtype;
  int flags;
} Array;
#define CONTIGUOUS_ALIGNED 0x101

typedef void kernel(void *const *);
/* A step of the launch table; before the library is loaded, `run` is the number of its kernel. */
struct row {
  kernel *run;
  void **arrays;
};
typedef void walk(const struct row *, long);
/* An entry of the table to be overwritten by the address of an input. */
struct patch {
  int64_t input, at, offset;
};
/* An input: the shape and the bytes of what a run is given, and of a sample; where a copy goes if the result may be read from
 * it, and where in the staging area samples are gathered. */
struct input {
  int64_t ndim, bytes, sample, staged;
  char *copy;
  const int64_t *shape;
};
/* The header that `launch_table.py` builds, eight bytes per field. */
struct table {
  int64_t row_count, patch_count, input_count, samples, release, staging;
  struct row *rows;
  void **arrays;
  const struct patch *patches;
  const struct input *inputs;
  char **at;
};

typedef struct {
  PyObject object;
  vectorcall *vectorcall;
  const struct table *table;
  void *library;
  walk *walk;
  char *staging;
  int busy;
  PyObject *owner, *array_type, *dtype, *row_dtype, *other_step, *other_steps;
} Machine;

static void *refused(PyObject *kind, const char *message) {
  PyErr_SetString(kind, message);
  return NULL;
}

static PyObject *none(void) {
  Py_IncRef(&_Py_NoneStruct);
  return &_Py_NoneStruct;
}

static void freed(Machine *self) {
  PyObject *type = self->object.type;
  if (self->library) dlclose(self->library);
  free(self->staging);
  Py_DecRef(self->owner);
  PyObject_Free(self);
  Py_DecRef(type);
}

/* Tests for a contiguous NumPy array of this shape; the lengths of the first `free` axes are arbitrary. */
static inline char *plain(const Machine *self, PyObject *value, PyObject *dtype, int64_t free, int64_t ndim, const int64_t *shape) {
  const Array *array = (const Array *)value;
  if (value->type != self->array_type || array->dtype != dtype || array->ndim != ndim) return NULL;
  if ((array->flags & CONTIGUOUS_ALIGNED) != CONTIGUOUS_ALIGNED) return NULL;
  for (int64_t i = free; i < ndim; i++)
    if (array->shape[i] != shape[i]) return NULL;
  return array->data;
}

/* The slow path for other arguments: Python rejects them, or calls again with converted ones. */
static PyObject *otherwise(Machine *self, PyObject *judge, PyObject *const *args, int64_t n) {
  PyObject **all = malloc((n + 1) * sizeof *all);
  if (!all) return PyErr_NoMemory();
  all[0] = (PyObject *)self;
  memcpy(all + 1, args, n * sizeof *all);
  PyObject *result = PyObject_Vectorcall(judge, all, n + 1, NULL);
  free(all);
  return result;
}

static inline void run(Machine *self) {
  const struct table *t = self->table;
  for (const struct patch *p = t->patches, *end = p + t->patch_count; p < end; p++) t->arrays[p->at] = t->at[p->input] + p->offset;
  self->walk(t->rows, t->row_count);
}

static PyObject *step(Machine *self, PyObject *const *args, size_t count, PyObject *names) {
  const struct table *t = self->table;
  int64_t n = count << 1 >> 1;
  if (names) return refused(PyExc_TypeError, "a run is given its inputs by position");
  if (self->busy) return refused(PyExc_RuntimeError, "this runner is running");
  if (n != t->input_count) return otherwise(self, self->other_step, args, n);
  for (int64_t i = 0; i < n; i++) {
    t->at[i] = plain(self, args[i], self->dtype, 0, t->inputs[i].ndim, t->inputs[i].shape);
    if (!t->at[i]) return otherwise(self, self->other_step, args, n);
  }
  for (int64_t i = 0; i < n; i++)
    if (t->inputs[i].copy) t->at[i] = memcpy(t->inputs[i].copy, t->at[i], t->inputs[i].bytes);
  if (t->release) {
    self->busy = 1;
    void *state = PyEval_SaveThread();
    run(self);
    PyEval_RestoreThread(state);
    self->busy = 0;
  } else {
    run(self);
  }
  return none();
}

/* The address of the samples of a run: in the data if they are adjacent, otherwise in a copy. */
static inline char *samples_of(const Machine *self, const struct input *input, char *data, const int64_t *row, int64_t count) {
  int in_order = !input->copy;
  for (int64_t j = 1; in_order && j < count; j++) in_order = row[j] == row[0] + j;
  if (in_order) return data + row[0] * input->sample;
  char *to = input->copy ? input->copy : self->staging + input->staged;
  for (int64_t j = 0; j < count; j++) memcpy(to + j * input->sample, data + row[j] * input->sample, input->sample);
  return to;
}

/* Runs once for each row of the last argument, on those samples of the others, without holding the GIL. */
static PyObject *steps(Machine *self, PyObject *const *args, intptr_t n) {
  const struct table *t = self->table;
  int64_t batched = t->samples >= 0, samples = batched ? t->samples : 1, inputs = t->input_count;
  const int64_t lengths[] = {0, samples};
  if (self->busy) return refused(PyExc_RuntimeError, "this runner is running");
  const int64_t *row = n == inputs + 1 ? (void *)plain(self, args[inputs], self->row_dtype, 1, 2, lengths) : NULL;
  if (!row) return otherwise(self, self->other_steps, args, n);
  int64_t runs = ((const Array *)args[inputs])->shape[0], available = INT64_MAX;
  for (int64_t i = 0; i < inputs; i++) {
    const struct input *input = t->inputs + i;
    const int64_t more = !batched, *shape = input->shape - more;
    if (!plain(self, args[i], self->dtype, 1, input->ndim + more, shape)) return otherwise(self, self->other_steps, args, n);
    if (((const Array *)args[i])->shape[0] < available) available = ((const Array *)args[i])->shape[0];
  }
  for (int64_t i = 0; i < runs * samples; i++)
    if (row[i] < 0 || row[i] >= available) return refused(PyExc_ValueError, "a row names a sample that is not there");
  if (!self->staging && !(self->staging = malloc(t->staging + 1))) return PyErr_NoMemory();
  self->busy = 1;
  void *state = PyEval_SaveThread();
  for (int64_t r = 0; r < runs; r++, row += samples) {
    for (int64_t i = 0; i < inputs; i++)
      t->at[i] = samples_of(self, t->inputs + i, ((const Array *)args[i])->data, row, samples);
    run(self);
  }
  PyEval_RestoreThread(state);
  self->busy = 0;
  return none();
}

static PyMethodDef methods[] = {{"steps", (void *)steps, FASTCALL, NULL}, {NULL}};
static PyMemberDef members[] = {{"__vectorcalloffset__", NUMBER, offsetof(Machine, vectorcall), READ_ONLY, NULL}, {NULL}};
static PyType_Slot slots[] = {
    {CALL, (void *)PyVectorcall_Call}, {FREED, (void *)freed}, {METHODS, methods}, {MEMBERS, members}, {0}};
static PyType_Spec spec = {"rh_driver.Machine", sizeof(Machine), 0, NOT_MADE_BY_CALLS | IMMUTABLE | HAS_VECTORCALL, slots};
static PyObject *type;

/* Creates a machine; `owner` keeps the table alive, and all objects that it refers to. */
__attribute__((visibility("default"))) PyObject *rh_machine(const char *path, const struct table *table, PyObject *owner,
                                                            PyObject *array_type, PyObject *dtype, PyObject *row_dtype,
                                                            PyObject *other_step, PyObject *other_steps) {
  if (!type && !(type = PyType_FromSpec(&spec))) return NULL;
  Machine *self = (Machine *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  Py_IncRef(owner);
  self->vectorcall = (vectorcall *)step;
  self->table = table;
  self->owner = owner;
  self->array_type = array_type;
  self->dtype = dtype;
  self->row_dtype = row_dtype;
  self->other_step = other_step;
  self->other_steps = other_steps;
  self->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  kernel *const *kernels = self->library ? (kernel *const *)dlsym(self->library, "rh_kernels") : NULL;
  const long *count = kernels ? (const long *)dlsym(self->library, "rh_kernel_count") : NULL;
  /* A library for any program has a function of its own for long runs, in which subnormal numbers count as 0. */
  self->walk = count && table->release ? (walk *)dlsym(self->library, "rh_long_walk") : NULL;
  if (count && !self->walk) self->walk = (walk *)dlsym(self->library, "rh_walk");
  int whole = self->walk != NULL;
  for (struct row *row = table->rows, *end = row + table->row_count; whole && row < end; row++) {
    intptr_t number = (intptr_t)row->run;
    whole = number >= 0 && number < *count;
    if (whole) row->run = kernels[number];
  }
  if (whole) return (PyObject *)self;
  Py_DecRef((PyObject *)self);
  return refused(PyExc_ValueError, "the library does not hold the kernels of the table");
}
