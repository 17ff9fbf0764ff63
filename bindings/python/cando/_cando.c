/*
 * _cando.c - the engine for Python: JSON in, JSON out; __init__.py makes methods of it.
 *
 *     Engine.ask(question) ──► cando_call_in ──► the answer as bytes
 *
 * The stable interface of Python 3.8 is all that is used, so that one library serves every later
 * version. A question is answered without Python's lock: an engine may be asked by many threads.
 * Each of them has a room for its answer, and the room of the last one is kept for the next.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03080000
#include <Python.h>

#include "bindings/overlay.h"

typedef struct {
    PyObject_HEAD cando *engine;
    cando_room *room; /* NULL: somebody has it */
} Engine;

static PyObject *failure; /* CandoError of __init__.py: set_error() */

/* Raises what the library says. */
static PyObject *raise_error(const cando_error *err)
{
    if (!failure)
        return PyErr_NoMemory();
    PyObject *made =
        PyObject_CallFunction(failure, "ssss", err->code, err->message, err->at, err->hint);
    if (made)
        PyErr_SetObject(failure, made);
    Py_XDECREF(made);
    return NULL;
}

static PyObject *set_error(PyObject *module, PyObject *type)
{
    (void)module;
    Py_INCREF(type);
    Py_XDECREF(failure);
    failure = type;
    Py_RETURN_NONE;
}

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    const char *snapshot = NULL;
    Py_ssize_t n = 0;
    cando_error err;
    const cando_catalog *catalog = NULL;
    static char *names[] = {"catalog", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, named, "|z#", names, &snapshot, &n))
        return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Engine *self = (Engine *)alloc(type, 0);
    if (!self)
        return NULL;
    if (snapshot) {
        catalog = cando_catalog_open_copy(snapshot, (size_t)n, NULL, &err);
        if (!catalog) {
            Py_DECREF(self);
            return raise_error(&err);
        }
    }
    self->engine = cando_new(catalog, NULL, &err);
    if (catalog)
        cando_catalog_release(catalog);
    if (self->engine)
        return (PyObject *)self;
    Py_DECREF(self);
    return raise_error(&err);
}

static void engine_dealloc(PyObject *object)
{
    Engine *self = (Engine *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->engine)
        cando_free(self->engine);
    cando_room_free(self->room);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

/* A room that nobody else has. */
static cando_room *take_room(Engine *self)
{
    cando_room *room = self->room;
    self->room = NULL;
    return room ? room : cando_room_new(NULL, NULL);
}

static void give_room(Engine *self, cando_room *room)
{
    if (self->room) {
        cando_room_free(room);
        return;
    }
    cando_room_clear(room);
    self->room = room;
}

static PyObject *engine_ask(PyObject *object, PyObject *question)
{
    Engine *self = (Engine *)object;
    char *text;
    Py_ssize_t n;
    cando_bytes answer = {0};
    cando_status status;
    if (PyBytes_AsStringAndSize(question, &text, &n) < 0)
        return NULL;
    cando_room *room = take_room(self);
    if (!room)
        return PyErr_NoMemory();
    Py_INCREF(question);
    Py_BEGIN_ALLOW_THREADS status = cando_call_in(self->engine, text, (size_t)n, room, &answer);
    Py_END_ALLOW_THREADS Py_DECREF(question);
    PyObject *out = status == CANDO_OK ? PyBytes_FromStringAndSize(answer.p, (Py_ssize_t)answer.n)
                                       : PyErr_NoMemory();
    give_room(self, room);
    return out;
}

/* Puts the text of a rule file on top of the catalog in force. */
static PyObject *engine_overlay(PyObject *object, PyObject *args)
{
    Engine *self = (Engine *)object;
    const char *name, *text;
    Py_ssize_t n;
    cando_error err;
    if (!PyArg_ParseTuple(args, "sy#", &name, &text, &n))
        return NULL;
    const cando_catalog *base = cando_get_catalog(self->engine), *next;
    Py_BEGIN_ALLOW_THREADS next = binding_overlay(base, name, text, (size_t)n, &err);
    Py_END_ALLOW_THREADS cando_catalog_release(base);
    if (!next)
        return raise_error(&err);
    cando_set_catalog(self->engine, next);
    cando_catalog_release(next);
    Py_RETURN_NONE;
}

static PyObject *set_today(PyObject *module, PyObject *args)
{
    const char *day;
    cando_error err;
    (void)module;
    if (!PyArg_ParseTuple(args, "z", &day))
        return NULL;
    if (cando_set_today(day, &err) != CANDO_OK)
        return raise_error(&err);
    Py_RETURN_NONE;
}

static PyMethodDef engine_methods[] = {
    {"ask", engine_ask, METH_O, "A question as JSON in bytes; its answer as JSON in bytes."},
    {"overlay", engine_overlay, METH_VARARGS, "A name and the text of a rule file, on top."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot engine_slots[] = {
    {Py_tp_new, (void *)engine_new},
    {Py_tp_dealloc, (void *)engine_dealloc},
    {Py_tp_methods, engine_methods},
    {0, NULL},
};

static PyType_Spec engine_spec = {"cando._cando.Engine", sizeof(Engine), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, engine_slots};

static PyMethodDef module_methods[] = {
    {"set_today", set_today, METH_VARARGS, "The day that counts as today; None: the clock's."},
    {"set_error", set_error, METH_O, "The exception that bad questions raise."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT, "cando._cando", NULL, -1, module_methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__cando(void)
{
    PyObject *module = PyModule_Create(&module_def);
    PyObject *type = PyType_FromSpec(&engine_spec);
    if (module && type && PyModule_AddObject(module, "Engine", type) == 0 &&
        PyModule_AddStringConstant(module, "version", cando_version()) == 0)
        return module;
    Py_XDECREF(type);
    Py_XDECREF(module);
    return NULL;
}
