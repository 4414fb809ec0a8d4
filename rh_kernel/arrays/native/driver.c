/* The machine that runs a table of kernels on the arrays that Python gives it: an extension module, compiled once. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How an array of NumPy begins: what every extension module that is built for NumPy relies on. */
typedef struct {
  PyObject_HEAD
  char *data;
  int ndim;
  Py_ssize_t *shape, *strides;
  PyObject *base, *dtype;
  int flags;
} Array;
#define CONTIGUOUS_ALIGNED 0x101

typedef void kernel(void *const *);
struct row {
  kernel *run;
  void **arrays;
};
typedef void walk(const struct row *, long);

/* An input: the shape and size of what a run is given, and where a copy goes if the result may be read from it. */
struct input {
  Py_ssize_t ndim, bytes, sample;
  Py_ssize_t *shape;
  char *copy;
};
/* A place in the table that an input's address goes to. */
struct patch {
  Py_ssize_t input, at, offset;
};

typedef struct {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  void *library;
  walk *walk;
  struct row *rows;
  void **arrays;
  struct input *inputs;
  struct patch *patches;
  char **staging;
  Py_ssize_t row_count, input_count, patch_count, item, samples;
  char format;
  int release, busy;
  PyObject *owner, *array_type, *dtype;
} Machine;

static void machine_free(Machine *self) {
  PyObject_GC_UnTrack(self);
  for (Py_ssize_t i = 0; self->inputs && i < self->input_count; i++) PyMem_Free(self->inputs[i].shape);
  for (Py_ssize_t i = 0; self->staging && i < self->input_count; i++) PyMem_Free(self->staging[i]);
  PyMem_Free(self->inputs);
  PyMem_Free(self->staging);
  PyMem_Free(self->patches);
  PyMem_Free(self->arrays);
  PyMem_Free(self->rows);
  Py_XDECREF(self->owner);
  Py_XDECREF(self->array_type);
  Py_XDECREF(self->dtype);
  if (self->library) dlclose(self->library);
  Py_TYPE(self)->tp_free((PyObject *)self);
}

static int machine_visit(Machine *self, visitproc visit, void *arg) {
  Py_VISIT(self->owner);
  return 0;
}

static int refused(const char *message) {
  PyErr_SetString(PyExc_ValueError, message);
  return -1;
}

/* The common case, without the buffer protocol: an array of NumPy that is just what the plan says. */
static inline char *plain(const Machine *self, PyObject *value, const struct input *input) {
  if ((PyObject *)Py_TYPE(value) != self->array_type) return NULL;
  const Array *array = (const Array *)value;
  if (array->dtype != self->dtype || array->ndim != input->ndim) return NULL;
  if ((array->flags & CONTIGUOUS_ALIGNED) != CONTIGUOUS_ALIGNED) return NULL;
  for (Py_ssize_t i = 0; i < input->ndim; i++)
    if (array->shape[i] != input->shape[i]) return NULL;
  return array->data;
}

/* A row-major array of the machine's precision; its first axis may have any length if `any` says so. */
static int take(Machine *self, PyObject *value, Py_ssize_t position, int any, Py_buffer *view) {
  const struct input *input = self->inputs + position;
  if (PyObject_GetBuffer(value, view, PyBUF_ND | PyBUF_FORMAT)) {
    PyErr_Clear();
    return refused("an input is not a contiguous array");
  }
  int same = view->format && view->format[0] == self->format && view->format[1] == 0 && view->itemsize == self->item;
  const char *message = same ? NULL : "an input has another precision than the plan";
  if (same) {
    same = view->ndim == input->ndim + (any == 2) && ((uintptr_t)view->buf & (self->item - 1)) == 0;
    for (Py_ssize_t i = any ? 1 : 0; same && i < view->ndim; i++)
      same = view->shape[i] == input->shape[any == 2 ? i - 1 : i];
    if (!same) message = "an input has another shape than the plan";
  }
  if (same) return 0;
  PyBuffer_Release(view);
  return refused(message);
}

static int enter(Machine *self) {
  if (self->busy) {
    PyErr_SetString(PyExc_RuntimeError, "this runner is running");
    return -1;
  }
  self->busy = 1;
  return 0;
}

static inline void point(Machine *self, char *const *at) {
  for (struct patch *p = self->patches, *end = p + self->patch_count; p < end; p++)
    self->arrays[p->at] = at[p->input] + p->offset;
}

#define FEW 8

static PyObject *machine_step(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *names) {
  Machine *self = (Machine *)object;
  Py_ssize_t n = PyVectorcall_NARGS(nargsf), taken = 0;
  if (names && PyTuple_GET_SIZE(names)) return PyErr_Format(PyExc_TypeError, "a run is given its inputs by position");
  if (n != self->input_count) {
    refused("a run is given another number of inputs");
    return NULL;
  }
  Py_buffer few_views[FEW], *views = few_views;
  char *few[FEW], **at = few;
  if (n > FEW) {
    views = PyMem_Malloc(n * (sizeof *views + sizeof *at));
    if (!views) return PyErr_NoMemory();
    at = (char **)(views + n);
  }
  for (; taken < n; taken++) {
    const struct input *input = self->inputs + taken;
    views[taken].obj = NULL;
    at[taken] = plain(self, args[taken], input);
    if (!at[taken]) {
      if (take(self, args[taken], taken, 0, views + taken)) break;
      at[taken] = views[taken].buf;
    }
    if (input->copy) {
      memcpy(input->copy, at[taken], input->bytes);
      at[taken] = input->copy;
    }
  }
  int done = taken == n && !enter(self);
  if (done) {
    point(self, at);
    if (self->release) {
      PyThreadState *state = PyEval_SaveThread();
      self->walk(self->rows, self->row_count);
      PyEval_RestoreThread(state);
    } else {
      self->walk(self->rows, self->row_count);
    }
    self->busy = 0;
  }
  while (taken > 0)
    if (views[--taken].obj) PyBuffer_Release(views + taken);
  if (views != few_views) PyMem_Free(views);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

/* Where the samples of a run lie: in the data, if they follow each other there, else in a copy. */
static char *samples_of(Machine *self, Py_ssize_t i, const char *data, const int64_t *row, Py_ssize_t count) {
  const struct input *input = self->inputs + i;
  int in_order = !input->copy;
  for (Py_ssize_t j = 1; in_order && j < count; j++) in_order = row[j] == row[0] + j;
  if (in_order) return (char *)data + row[0] * input->sample;
  char *to = input->copy ? input->copy : self->staging[i];
  for (Py_ssize_t j = 0; j < count; j++) memcpy(to + j * input->sample, data + row[j] * input->sample, input->sample);
  return to;
}

static PyObject *machine_steps(PyObject *object, PyObject *const *args, Py_ssize_t n) {
  Machine *self = (Machine *)object;
  if (n != 2 || !PyTuple_Check(args[0]) || PyTuple_GET_SIZE(args[0]) != self->input_count)
    return refused("the steps are given the inputs and the rows"), NULL;
  Py_ssize_t taken = 0, inputs = self->input_count, count = self->samples < 0 ? 1 : self->samples;
  Py_buffer rows, *views = PyMem_Malloc((inputs + 1) * (sizeof *views + sizeof(char *)));
  if (!views) return PyErr_NoMemory();
  char **at = (char **)(views + inputs);
  if (PyObject_GetBuffer(args[1], &rows, PyBUF_ND | PyBUF_FORMAT)) {
    PyMem_Free(views);
    return NULL;
  }
  int done = 0;
  if (rows.ndim != 2 || rows.shape[1] != count || rows.itemsize != 8 || !strchr("lq", rows.format ? rows.format[0] : 'B')) {
    refused("the rows have another shape than runs × samples");
    goto end;
  }
  for (; taken < inputs; taken++) {
    if (take(self, PyTuple_GET_ITEM(args[0], taken), taken, self->samples < 0 ? 2 : 1, views + taken)) goto end;
    if (views[taken].ndim < 1) {
      PyBuffer_Release(views + taken);
      refused("an input has no axis of samples");
      goto end;
    }
  }
  const int64_t *row = rows.buf;
  for (Py_ssize_t i = 0; i < rows.shape[0] * count; i++)
    for (Py_ssize_t j = 0; j < inputs; j++)
      if (row[i] < 0 || row[i] >= views[j].shape[0]) {
        refused("a row names a sample that is not there");
        goto end;
      }
  for (Py_ssize_t i = 0; i < inputs; i++)
    if (!self->staging[i] && !self->inputs[i].copy) {
      self->staging[i] = PyMem_Malloc(self->inputs[i].bytes + 1);
      if (!self->staging[i]) {
        PyErr_NoMemory();
        goto end;
      }
    }
  if (enter(self)) goto end;
  Py_BEGIN_ALLOW_THREADS
  for (Py_ssize_t r = 0; r < rows.shape[0]; r++, row += count) {
    for (Py_ssize_t i = 0; i < inputs; i++) at[i] = samples_of(self, i, views[i].buf, row, count);
    point(self, at);
    self->walk(self->rows, self->row_count);
  }
  Py_END_ALLOW_THREADS
  self->busy = 0;
  done = 1;
end:
  while (taken > 0) PyBuffer_Release(views + --taken);
  PyBuffer_Release(&rows);
  PyMem_Free(views);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

static int read_inputs(Machine *self, PyObject *inputs) {
  self->input_count = PyTuple_GET_SIZE(inputs);
  self->inputs = PyMem_Calloc(self->input_count + 1, sizeof *self->inputs);
  self->staging = PyMem_Calloc(self->input_count + 1, sizeof *self->staging);
  if (!self->inputs || !self->staging) return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < self->input_count; i++) {
    PyObject *shape;
    unsigned long long copy;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(inputs, i), "O!K", &PyTuple_Type, &shape, &copy)) return -1;
    struct input *input = self->inputs + i;
    input->ndim = PyTuple_GET_SIZE(shape);
    input->copy = (char *)(uintptr_t)copy;
    input->shape = PyMem_Calloc(input->ndim + 1, sizeof *input->shape);
    if (!input->shape) return PyErr_NoMemory(), -1;
    input->bytes = input->sample = self->item;
    for (Py_ssize_t d = 0; d < input->ndim; d++) {
      input->shape[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d));
      if (input->shape[d] == -1 && PyErr_Occurred()) return -1;
      input->bytes *= input->shape[d];
      if (d > 0 || self->samples < 0) input->sample *= input->shape[d];
    }
  }
  return 0;
}

/* The table: for each row the kernel, how many arrays, and for each its buffer (−1 − i for input i) and its first byte. */
static int read_table(Machine *self, const int64_t *table, Py_ssize_t length, const uint64_t *bases, Py_ssize_t base_count) {
  kernel *const *kernels = (kernel *const *)dlsym(self->library, "rh_kernels");
  const long *kernel_count = (const long *)dlsym(self->library, "rh_kernel_count");
  self->walk = (walk *)dlsym(self->library, "rh_walk");
  if (!kernels || !kernel_count || !self->walk) return refused("the library holds no kernels");
  Py_ssize_t rows = 0, arrays = 0, patches = 0;
  for (Py_ssize_t i = 0; i < length; i += 2 + 2 * table[i + 1]) {
    if (i + 2 > length || table[i] < 0 || table[i] >= *kernel_count || table[i + 1] < 0 || i + 2 + 2 * table[i + 1] > length)
      return refused("the table is broken");
    rows++;
    arrays += table[i + 1];
    for (Py_ssize_t j = 0; j < table[i + 1]; j++) {
      int64_t buffer = table[i + 2 + 2 * j];
      if (buffer >= base_count || -1 - buffer >= self->input_count) return refused("the table is broken");
      patches += buffer < 0;
    }
  }
  self->rows = PyMem_Calloc(rows + 1, sizeof *self->rows);
  self->arrays = PyMem_Calloc(arrays + 1, sizeof *self->arrays);
  self->patches = PyMem_Calloc(patches + 1, sizeof *self->patches);
  if (!self->rows || !self->arrays || !self->patches) return PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0, at = 0; i < length; i += 2 + 2 * table[i + 1]) {
    struct row *row = self->rows + self->row_count++;
    row->run = kernels[table[i]];
    row->arrays = self->arrays + at;
    for (Py_ssize_t j = 0; j < table[i + 1]; j++, at++) {
      int64_t buffer = table[i + 2 + 2 * j], offset = table[i + 3 + 2 * j];
      if (buffer < 0)
        self->patches[self->patch_count++] = (struct patch){-1 - buffer, at, offset};
      else
        self->arrays[at] = (char *)(uintptr_t)bases[buffer] + offset;
    }
  }
  return 0;
}

static PyObject *machine_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords)) {
  const char *path, *format;
  Py_buffer table, bases;
  PyObject *inputs, *owner, *array_type, *dtype;
  Py_ssize_t samples;
  int release;
  if (!PyArg_ParseTuple(args, "sy*y*O!snpOOO", &path, &table, &bases, &PyTuple_Type, &inputs, &format, &samples, &release, &owner,
                        &array_type, &dtype))
    return NULL;
  Machine *self = (Machine *)type->tp_alloc(type, 0);
  if (self) {
    self->vectorcall = machine_step;
    self->format = format[0];
    self->item = format[0] == 'd' ? 8 : 4;
    self->samples = samples;
    self->release = release;
    self->owner = Py_NewRef(owner);
    self->array_type = Py_NewRef(array_type);
    self->dtype = Py_NewRef(dtype);
    self->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int failed = self->library ? 0 : refused(dlerror());
    failed = failed || read_inputs(self, inputs);
    failed = failed || read_table(self, table.buf, table.len / 8, bases.buf, bases.len / 8);
    if (failed) Py_CLEAR(self);
  }
  PyBuffer_Release(&table);
  PyBuffer_Release(&bases);
  return (PyObject *)self;
}

static PyMethodDef methods[] = {
    {"steps", (PyCFunction)(void *)machine_steps, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject MachineType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rh_driver.Machine",
    .tp_basicsize = sizeof(Machine),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = (destructor)machine_free,
    .tp_traverse = (traverseproc)machine_visit,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Machine, vectorcall),
    .tp_methods = methods,
    .tp_new = machine_new,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "rh_driver", .m_size = -1};

PyMODINIT_FUNC PyInit_rh_driver(void) {
  PyObject *m = PyModule_Create(&module);
  if (!m || PyType_Ready(&MachineType) || PyModule_AddObjectRef(m, "Machine", (PyObject *)&MachineType)) {
    Py_XDECREF(m);
    return NULL;
  }
  return m;
}
