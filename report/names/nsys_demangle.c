/* SPDX-License-Identifier: MIT */
/*
 * libiberty reads the name into a tree, which is printed here as the CUDA toolkit's cu++filt does:
 * a type is `const float *` rather than `float const*`, a literal `(int)4`, a template parameter
 * `T1` rather than the argument it stands for, an anonymous namespace `<unnamed>`, a closure
 * `[lambda(int) (instance 1)]`.
 */
#include "report/names/nsys_demangle.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#define STYLE	   (DMGL_PARAMS | DMGL_ANSI)

/* Substitutions let a short name unfold without end; kernels' names stay far below both. */
#define DEPTH_MOST 512
#define NODES_MOST 65536

typedef struct demangle_component component;

/* The state of one name's printing; `failed` is set once and ends it. */
struct printer {
	unsigned depth, nodes;
	const char *qualifier; /* of the member function whose name was printed last */
	bool failed;
	bool unending; /* one of the bounds was met */
};

/* Every function below returns a string to be freed, or NULL with printer->failed set. */
static char *print_name(struct printer *printer, const component *node);
static char *print_type(struct printer *printer, const component *node, const char *declarator);

static char *fail(struct printer *printer)
{
	printer->failed = true;
	return NULL;
}

/* Whether a node can be printed at all. */
static bool may_print(struct printer *printer, const component *node)
{
	if (++printer->nodes > NODES_MOST || printer->depth == DEPTH_MOST)
		printer->unending = true;
	if (!node || printer->unending)
		printer->failed = true;
	return !printer->failed;
}

__attribute__((format(printf, 2, 3))) static char *text(struct printer *printer, const char *format,
							...)
{
	va_list arguments;
	char *result;
	int length;

	if (printer->failed)
		return NULL;
	va_start(arguments, format);
	length = vasprintf(&result, format, arguments);
	va_end(arguments);
	return length < 0 ? fail(printer) : result;
}

/* "a, b, c" of an argument list; a list within a template's list is a pack, which has no brackets.
 */
static char *print_list(struct printer *printer, const component *list)
{
	enum demangle_component_type type = list->type;
	char *result = text(printer, "%s", "");

	for (; list && list->type == type && !printer->failed; list = list->u.s_binary.right) {
		const component *item = list->u.s_binary.left;
		char *before = result, *printed;

		if (!item)
			continue;
		printed = item->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST
				  ? print_list(printer, item)
				  : print_type(printer, item, "");
		result = text(printer, "%s%s%s", before,
			      before && *before && printed && *printed ? ", " : "", printed);
		free(before);
		free(printed);
	}
	if (printer->failed) {
		free(result);
		return NULL;
	}
	return result;
}

/* What libiberty alone can print: its own tables of types and operators. */
static char *print_by_libiberty(struct printer *printer, const component *node)
{
	size_t size;
	char *result = cplus_demangle_print(STYLE, (component *)node, 16, &size);

	return result ? result : fail(printer);
}

static const char *this_qualifier(const component *node)
{
	switch (node->type) {
	case DEMANGLE_COMPONENT_CONST_THIS:
		return " const";
	case DEMANGLE_COMPONENT_VOLATILE_THIS:
		return " volatile";
	case DEMANGLE_COMPONENT_REFERENCE_THIS:
		return " &";
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
		return " &&";
	default:
		return NULL;
	}
}

/* A function with its parameters and, where the name tells it, its return type. */
static char *print_function(struct printer *printer, const component *node)
{
	const component *type = node->u.s_binary.right;
	char *name, *parameters, *returned = NULL, *result;
	const char *qualifier;

	if (!type || type->type != DEMANGLE_COMPONENT_FUNCTION_TYPE)
		return fail(printer);
	printer->qualifier = "";
	name = print_name(printer, node->u.s_binary.left);
	qualifier = printer->qualifier;
	parameters = type->u.s_binary.right ? print_list(printer, type->u.s_binary.right)
					    : text(printer, "%s", "");
	if (type->u.s_binary.left)
		returned = print_type(printer, type->u.s_binary.left, "");
	result = text(printer, "%s%s%s(%s)%s", returned ? returned : "", returned ? " " : "", name,
		      parameters, qualifier);
	printer->qualifier = "";
	free(name);
	free(parameters);
	free(returned);
	return result;
}

/* prefix + what print gives for the node + suffix */
static char *print_within(struct printer *printer, const char *prefix, const component *node,
			  const char *suffix)
{
	char *inner = node ? print_type(printer, node, "") : text(printer, "%s", "");
	char *result = text(printer, "%s%s%s", prefix, inner, suffix);

	free(inner);
	return result;
}

static char *print_joined(struct printer *printer, const component *node, const char *separator,
			  const char *end)
{
	const component *right = node->u.s_binary.right;
	char *left_text = print_name(printer, node->u.s_binary.left);
	char *right_text = right && right->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST
				   ? print_list(printer, right)
				   : print_name(printer, right);
	char *result = text(printer, "%s%s%s%s", left_text, separator, right_text, end);

	free(left_text);
	free(right_text);
	return result;
}

static char *print_literal(struct printer *printer, const component *node)
{
	bool negative = node->type == DEMANGLE_COMPONENT_LITERAL_NEG;
	char *value = print_name(printer, node->u.s_binary.right);
	char *result;
	char *type = print_type(printer, node->u.s_binary.left, "");

	result = text(printer, "(%s)%s%s", type, negative ? "-" : "", value);
	free(type);
	free(value);
	return result;
}

/* &object and &function, which stand without their parameters, are the only expressions. */
static char *print_address(struct printer *printer, const component *node)
{
	const component *operand = node->u.s_binary.right;
	char *operation = print_by_libiberty(printer, node->u.s_binary.left);
	bool address = operation && !strcmp(operation, "operator&");
	char *name, *result;

	free(operation);
	if (!address || !operand)
		return fail(printer);
	if (operand->type == DEMANGLE_COMPONENT_TYPED_NAME)
		operand = operand->u.s_binary.left;
	name = print_name(printer, operand);
	result = text(printer, "&%s", name);
	free(name);
	return result;
}

static char *print_operator(struct printer *printer, const component *node)
{
	static const char word[] = "operator";
	char *printed = print_by_libiberty(printer, node);
	const char *symbol = printed ? printed + strlen(word) : "";
	char *result = text(printer, "%s %s", word, symbol + strspn(symbol, " "));

	free(printed);
	return result;
}

static char *print_lambda(struct printer *printer, const component *node)
{
	const component *parameters = node->u.s_unary_num.sub;
	char *list = parameters ? print_list(printer, parameters) : text(printer, "%s", "");
	char *result =
		text(printer, "[lambda(%s) (instance %d)]", list, node->u.s_unary_num.num + 1);

	free(list);
	return result;
}

static char *print_component(struct printer *printer, const component *node)
{
	static const char anonymous[] = "(anonymous namespace)";

	switch (node->type) {
	case DEMANGLE_COMPONENT_NAME:
		if (node->u.s_name.len == (int)strlen(anonymous) &&
		    !strncmp(node->u.s_name.s, anonymous, strlen(anonymous)))
			return text(printer, "<unnamed>");
		return text(printer, "%.*s", node->u.s_name.len, node->u.s_name.s);
	case DEMANGLE_COMPONENT_SUB_STD:
		return text(printer, "%.*s", node->u.s_string.len, node->u.s_string.string);
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
		return print_by_libiberty(printer, node);
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
		return text(printer, "T%ld", node->u.s_number.number + 1);
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		return text(printer, "[unnamed type (instance %ld)]", node->u.s_number.number + 1);
	case DEMANGLE_COMPONENT_OPERATOR:
		return print_operator(printer, node);
	case DEMANGLE_COMPONENT_CTOR:
		return print_name(printer, node->u.s_ctor.name);
	case DEMANGLE_COMPONENT_QUAL_NAME:
	case DEMANGLE_COMPONENT_LOCAL_NAME:
		return print_joined(printer, node, "::", "");
	case DEMANGLE_COMPONENT_TEMPLATE:
		return print_joined(printer, node, "<", ">");
	case DEMANGLE_COMPONENT_TYPED_NAME:
		return print_function(printer, node);
	case DEMANGLE_COMPONENT_LITERAL:
	case DEMANGLE_COMPONENT_LITERAL_NEG:
		return print_literal(printer, node);
	case DEMANGLE_COMPONENT_UNARY:
		return print_address(printer, node);
	case DEMANGLE_COMPONENT_LAMBDA:
		return print_lambda(printer, node);
	case DEMANGLE_COMPONENT_PACK_EXPANSION:
		return print_within(printer, "", node->u.s_binary.left, "...");
	case DEMANGLE_COMPONENT_CONVERSION:
		return print_within(printer, "operator ", node->u.s_binary.left, "");
	default:
		if (!this_qualifier(node))
			return fail(printer);
		printer->qualifier = this_qualifier(node);
		return print_name(printer, node->u.s_binary.left);
	}
}

/* A name, or any component that is not built from another type. */
static char *print_name(struct printer *printer, const component *node)
{
	char *result;

	if (!may_print(printer, node))
		return NULL;
	printer->depth++;
	result = print_component(printer, node);
	printer->depth--;
	return result;
}

static bool is_pointer(const component *node)
{
	return node->type == DEMANGLE_COMPONENT_POINTER ||
	       node->type == DEMANGLE_COMPONENT_REFERENCE ||
	       node->type == DEMANGLE_COMPONENT_RVALUE_REFERENCE;
}

/* A pointer or reference to the target: the mark goes before the declarator. */
static char *print_pointer(struct printer *printer, const component *target, const char *mark,
			   const char *declarator)
{
	bool brackets = target && (target->type == DEMANGLE_COMPONENT_FUNCTION_TYPE ||
				   target->type == DEMANGLE_COMPONENT_ARRAY_TYPE);
	char *inner = text(printer, brackets ? "(%s%s)" : "%s%s", mark, declarator);
	char *result = inner ? print_type(printer, target, inner) : NULL;

	free(inner);
	return result;
}

static char *print_qualified(struct printer *printer, const component *target,
			     const char *qualifier, const char *declarator)
{
	char *inner, *result;

	if (target && is_pointer(target)) {
		inner = text(printer, "%s%s%s", qualifier, *declarator ? " " : "", declarator);
		result = inner ? print_type(printer, target, inner) : NULL;
	} else {
		inner = print_type(printer, target, declarator);
		result = text(printer, "%s %s", qualifier, inner);
	}
	free(inner);
	return result;
}

static char *print_array(struct printer *printer, const component *node, const char *declarator)
{
	const component *dimension = node->u.s_binary.left;
	char *size = dimension ? print_name(printer, dimension) : text(printer, "%s", "");
	char *inner = text(printer, "%s[%s]", declarator, size);
	char *result = inner ? print_type(printer, node->u.s_binary.right, inner) : NULL;

	free(size);
	free(inner);
	return result;
}

static char *print_function_type(struct printer *printer, const component *node,
				 const char *declarator)
{
	const component *list = node->u.s_binary.right;
	char *parameters = list ? print_list(printer, list) : text(printer, "%s", "");
	char *inner = text(printer, "%s(%s)", declarator, parameters);
	char *result = inner ? print_type(printer, node->u.s_binary.left, inner) : NULL;

	free(parameters);
	free(inner);
	return result;
}

static char *print_type_component(struct printer *printer, const component *node,
				  const char *declarator)
{
	const component *target = node->u.s_binary.left;
	char *name, *result;

	switch (node->type) {
	case DEMANGLE_COMPONENT_POINTER:
		return print_pointer(printer, target, "*", declarator);
	case DEMANGLE_COMPONENT_REFERENCE:
		return print_pointer(printer, target, "&", declarator);
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
		return print_pointer(printer, target, "&&", declarator);
	case DEMANGLE_COMPONENT_CONST:
		return print_qualified(printer, target, "const", declarator);
	case DEMANGLE_COMPONENT_VOLATILE:
		return print_qualified(printer, target, "volatile", declarator);
	case DEMANGLE_COMPONENT_RESTRICT:
		return print_type(printer, target, declarator);
	case DEMANGLE_COMPONENT_ARRAY_TYPE:
		return print_array(printer, node, declarator);
	case DEMANGLE_COMPONENT_FUNCTION_TYPE:
		return print_function_type(printer, node, declarator);
	default:
		name = print_name(printer, node);
		result = text(printer, "%s%s%s", name, *declarator ? " " : "", declarator);
		free(name);
		return result;
	}
}

/* A declaration of `declarator` ("" for the type alone) with the node's type. */
static char *print_type(struct printer *printer, const component *node, const char *declarator)
{
	char *result;

	if (!may_print(printer, node))
		return NULL;
	printer->depth++;
	result = print_type_component(printer, node, declarator);
	printer->depth--;
	return result;
}

/* The function's own name within its scopes, template arguments and parameters. */
static const component *base_of(const component *tree)
{
	for (;;) {
		switch (tree->type) {
		case DEMANGLE_COMPONENT_TYPED_NAME:
		case DEMANGLE_COMPONENT_TEMPLATE:
			tree = tree->u.s_binary.left;
			break;
		case DEMANGLE_COMPONENT_QUAL_NAME:
		case DEMANGLE_COMPONENT_LOCAL_NAME:
			tree = tree->u.s_binary.right;
			break;
		default:
			if (!this_qualifier(tree))
				return tree;
			tree = tree->u.s_binary.left;
		}
	}
}

static char *demangle_part(const char *mangled, bool base)
{
	struct printer printer = {.qualifier = ""};
	component *tree = NULL;
	void *memory = NULL;
	char *result = NULL;

	if (!strncmp(mangled, "_Z", 2))
		tree = cplus_demangle_v3_components(mangled, STYLE, &memory);
	if (tree)
		result = print_name(&printer, base ? base_of(tree) : tree);
	/* libiberty has no bound of its own. */
	if (tree && !result && !base && !printer.unending)
		result = cplus_demangle_v3(mangled, STYLE);
	free(memory);
	return result ? result : strdup(mangled);
}

char *nsys_demangle(const char *mangled)
{
	return demangle_part(mangled, false);
}

char *nsys_demangle_base(const char *mangled)
{
	return demangle_part(mangled, true);
}
