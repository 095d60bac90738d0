/* SPDX-License-Identifier: MIT */
/*
 * libiberty parses the name into a tree; the tree is edited where a profiler spells a name in
 * another way, and libiberty prints it. The differences (seen in nvprof's output and in that of the
 * toolkit's cu++filt, which nsys prints):
 *   binutils                 nvprof                   nsys
 *   foo<4, true>             foo<int=4, bool=1>       foo<(int)4, (bool)1>
 *   foo()                    foo(void)                foo()
 *   long long                __int64                  long long
 *   (anonymous namespace)    _GLOBAL__N_1             <unnamed>
 *   float const*             float const *            const float *
 *   a<b<c> >                 a<b<c>>                  a<b<c>>
 *   operator+                operator+                operator +
 *   {lambda(int)#1}          (not demangled)          [lambda(int) (instance 1)]
 *   void k<int>(int)         void k<int>(int)         void k<int>(T1)
 * nvprof numbers the arguments of all templates in the order in which they end, those of nested
 * templates among them, so T_ in void k<foo<int>>(T_) is int, not foo<int>.
 */
#include "report/names/demangle.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "report/session/entries.h"

#define DEMANGLE_STYLE (DMGL_PARAMS | DMGL_ANSI)
/* Stands for the N of _GLOBAL__N while libiberty parses the name: it would drop what follows. */
#define HIDDEN_N       '\1'

/* What a component of a name is. */
enum trait {
	LEAF = 1,	   /* it has no left and right part */
	BEYOND_NVPROF = 2, /* nvprof leaves names with such a part mangled */
	BEYOND_CUFILT = 4, /* part of an expression, which nsys's spelling here lacks */
};

/* The differences between spellings. */
struct spelling {
	const struct spelling *otherwise; /* for names with parts beyond this one */
	enum trait beyond;
	const char *anonymous;	   /* namespace; NULL: the compiler's name for it */
	const char *literal;	   /* format of a type, a sign and digits */
	const char *no_parameters; /* in place of an empty list */
	const char *long_long;
	bool resolves; /* template parameters are arguments, by nvprof's numbering */
	bool cufilt;   /* what only cu++filt does, and its spaces */
	bool nvprof;   /* nvprof's spaces */
};

/* libiberty's own limit when it prints; a name with a deeper tree stays mangled. */
#define DEPTH_MOST 1024
/* libiberty keeps two tables on the stack while it prints; this bounds them. */
#define STACK_MOST (256UL << 10)
/* Substitutions let a short name unfold without end; kernels' names stay far below. */
#define TEXT_MOST  (256UL << 10)

typedef struct demangle_component component;

/* A component that was edited: substitutions make a tree share its parts. */
struct visit {
	struct entry entry; /* of its address */
	component *node;
	size_t size; /* about how many characters it prints as */
	char *text;  /* what it became */
};

struct edit {
	const struct spelling *spelling;
	component **arguments; /* of all templates, in the order of their end */
	size_t argument_count, argument_size;
	struct entry *visits;
	size_t templates, references;
	bool beyond; /* a part is beyond the spelling */
	bool failed; /* out of memory, too deep or too long */
};

static unsigned traits_of(const component *node)
{
	static const uint8_t traits[] = {
		[DEMANGLE_COMPONENT_NAME] = LEAF,
		[DEMANGLE_COMPONENT_TEMPLATE_PARAM] = LEAF,
		[DEMANGLE_COMPONENT_SUB_STD] = LEAF,
		[DEMANGLE_COMPONENT_BUILTIN_TYPE] = LEAF,
		[DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE] = LEAF,
		[DEMANGLE_COMPONENT_OPERATOR] = LEAF,
		[DEMANGLE_COMPONENT_EXTENDED_OPERATOR] = LEAF,
		[DEMANGLE_COMPONENT_CHARACTER] = LEAF,
		[DEMANGLE_COMPONENT_NUMBER] = LEAF,
		[DEMANGLE_COMPONENT_CTOR] = LEAF,
		[DEMANGLE_COMPONENT_DTOR] = LEAF,
		[DEMANGLE_COMPONENT_FIXED_TYPE] = LEAF,
		[DEMANGLE_COMPONENT_TEMPLATE_HEAD] = LEAF,
		[DEMANGLE_COMPONENT_TEMPLATE_TYPE_PARM] = LEAF,
		[DEMANGLE_COMPONENT_TEMPLATE_NON_TYPE_PARM] = LEAF,
		[DEMANGLE_COMPONENT_TEMPLATE_TEMPLATE_PARM] = LEAF,
		[DEMANGLE_COMPONENT_TEMPLATE_PACK_PARM] = LEAF,
		[DEMANGLE_COMPONENT_LAMBDA] = LEAF | BEYOND_NVPROF,
		[DEMANGLE_COMPONENT_UNNAMED_TYPE] = LEAF | BEYOND_NVPROF,
		[DEMANGLE_COMPONENT_DEFAULT_ARG] = LEAF | BEYOND_NVPROF | BEYOND_CUFILT,
		[DEMANGLE_COMPONENT_FUNCTION_PARAM] = LEAF | BEYOND_CUFILT,
		[DEMANGLE_COMPONENT_LOCAL_NAME] = BEYOND_NVPROF,
		[DEMANGLE_COMPONENT_PACK_EXPANSION] = BEYOND_NVPROF,
		[DEMANGLE_COMPONENT_CONVERSION] = BEYOND_NVPROF,
		[DEMANGLE_COMPONENT_DECLTYPE] = BEYOND_NVPROF | BEYOND_CUFILT,
		[DEMANGLE_COMPONENT_CAST] = BEYOND_CUFILT,
		[DEMANGLE_COMPONENT_NULLARY] = BEYOND_CUFILT,
		[DEMANGLE_COMPONENT_BINARY] = BEYOND_CUFILT,
		[DEMANGLE_COMPONENT_TRINARY] = BEYOND_CUFILT,
		[DEMANGLE_COMPONENT_INITIALIZER_LIST] = BEYOND_CUFILT,
		[DEMANGLE_COMPONENT_VENDOR_EXPR] = BEYOND_CUFILT,
	};

	/* A list as an argument is a pack. */
	if (node->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST)
		return node->u.s_binary.left && node->u.s_binary.left->type == node->type
			       ? BEYOND_NVPROF
			       : 0;
	return (size_t)node->type < sizeof(traits) ? traits[node->type] : 0;
}

static char *print(struct edit *edit, component *node)
{
	size_t size;
	char *text = cplus_demangle_print(DEMANGLE_STYLE, node, 16, &size);

	if (!text)
		edit->failed = true;
	return text;
}

/* Makes the visited component a name, which is printed as it is. */
__attribute__((format(printf, 3, 4))) static void become(struct edit *edit, struct visit *visit,
							 const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = edit->failed ? -1 : vasprintf(&visit->text, format, arguments);
	va_end(arguments);
	if (length < 0)
		visit->text = NULL;
	if (length < 0 || !cplus_demangle_fill_name(visit->node, visit->text, length))
		edit->failed = true;
	else
		visit->size = (size_t)length;
}

static void edit_literal(struct edit *edit, struct visit *visit)
{
	const component *value = visit->node->u.s_binary.right;
	const char *sign = visit->node->type == DEMANGLE_COMPONENT_LITERAL_NEG ? "-" : "";
	char *type;

	if (!edit->spelling->literal || !value || value->type != DEMANGLE_COMPONENT_NAME)
		return;
	type = print(edit, visit->node->u.s_binary.left);
	become(edit, visit, edit->spelling->literal, type, sign, value->u.s_name.len,
	       value->u.s_name.s);
	free(type);
}

static void edit_builtin(struct edit *edit, struct visit *visit)
{
	char *name = edit->spelling->long_long ? print(edit, visit->node) : NULL;

	if (name && !strcmp(name, "long long"))
		become(edit, visit, "%s", edit->spelling->long_long);
	else if (name && !strcmp(name, "unsigned long long"))
		become(edit, visit, "unsigned %s", edit->spelling->long_long);
	free(name);
}

/* The visit of a component; NULL: it was not visited. `size`: of a new one, or 0. */
static struct visit *visit_of(struct edit *edit, const component *node, size_t size)
{
	return entry_of(&edit->visits, (uint64_t[ENTRY_NUMBERS]){(uintptr_t)node}, size);
}

/* Makes a component one of its parts, between a prefix and a suffix. */
static void edit_around(struct edit *edit, struct visit *visit, const char *prefix, component *part,
			const char *suffix)
{
	char *text = print(edit, part);

	become(edit, visit, "%s%s%s", prefix, text, suffix);
	free(text);
}

static bool is_pointer(const component *node)
{
	return node && (node->type == DEMANGLE_COMPONENT_POINTER ||
			node->type == DEMANGLE_COMPONENT_REFERENCE ||
			node->type == DEMANGLE_COMPONENT_RVALUE_REFERENCE ||
			node->type == DEMANGLE_COMPONENT_PTRMEM_TYPE);
}

static void edit_as_cufilt(struct edit *edit, struct visit *visit)
{
	static const char operator[] = "operator", address_of[] = "operator &";
	component *node = visit->node, *left = node->u.s_binary.left;
	char *text;

	switch (node->type) {
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
		become(edit, visit, "T%ld", node->u.s_number.number + 1);
		break;
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		become(edit, visit, "[unnamed type (instance %ld)]", node->u.s_number.number + 1);
		break;
	case DEMANGLE_COMPONENT_LAMBDA:
		text = node->u.s_unary_num.sub ? print(edit, node->u.s_unary_num.sub) : strdup("");
		become(edit, visit, "[lambda(%s) (instance %d)]", text,
		       node->u.s_unary_num.num + 1);
		free(text);
		break;
	case DEMANGLE_COMPONENT_OPERATOR:
		text = print(edit, node);
		if (text)
			become(edit, visit, "%s %s", operator,
			       text + strlen(operator) + strspn(text + strlen(operator), " "));
		free(text);
		break;
	case DEMANGLE_COMPONENT_UNARY:
		/* &object and &function, which stand without their parameters */
		if (!left || left->type != DEMANGLE_COMPONENT_NAME ||
		    left->u.s_name.len != (int)strlen(address_of) ||
		    memcmp(left->u.s_name.s, address_of, strlen(address_of)) != 0)
			edit->beyond = true;
		node = node->u.s_binary.right;
		if (node && node->type == DEMANGLE_COMPONENT_TYPED_NAME)
			node = node->u.s_binary.left;
		edit_around(edit, visit, "&", node, "");
		break;
	case DEMANGLE_COMPONENT_PACK_EXPANSION:
		edit_around(edit, visit, "", left, "...");
		break;
	case DEMANGLE_COMPONENT_CONST:
		if (!is_pointer(left))
			edit_around(edit, visit, "const ", left, "");
		break;
	case DEMANGLE_COMPONENT_VOLATILE:
		if (!is_pointer(left))
			edit_around(edit, visit, "volatile ", left, "");
		break;
	default:
		break;
	}
}

static void edit_component(struct edit *edit, struct visit *visit)
{
	component *node = visit->node;

	switch (node->type) {
	case DEMANGLE_COMPONENT_NAME:
		/* As libiberty knows the name of an anonymous namespace. */
		if (edit->spelling->anonymous && node->u.s_name.len > 9 &&
		    node->u.s_name.s[9] == HIDDEN_N)
			become(edit, visit, "%s", edit->spelling->anonymous);
		break;
	case DEMANGLE_COMPONENT_LITERAL:
	case DEMANGLE_COMPONENT_LITERAL_NEG:
		edit_literal(edit, visit);
		break;
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
		edit_builtin(edit, visit);
		break;
	case DEMANGLE_COMPONENT_FUNCTION_TYPE:
		/* Without any parameters it has a list without an argument. */
		node = node->u.s_binary.right;
		if (edit->spelling->no_parameters && node &&
		    node->type == DEMANGLE_COMPONENT_ARGLIST && !node->u.s_binary.left)
			become(edit, visit_of(edit, node, 0), "%s", edit->spelling->no_parameters);
		break;
	case DEMANGLE_COMPONENT_TEMPLATE:
		edit->templates++;
		break;
	case DEMANGLE_COMPONENT_REFERENCE:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
		edit->references +=
			node->u.s_binary.left &&
			node->u.s_binary.left->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM;
		break;
	default:
		if (edit->spelling->cufilt)
			edit_as_cufilt(edit, visit);
	}
}

static size_t edit_tree(struct edit *edit, component **slot, int depth);

static size_t edit_parts(struct edit *edit, component *node, unsigned traits, int depth)
{
	size_t size = 16; /* as long as a word, with what stands around it */

	switch (node->type) {
	case DEMANGLE_COMPONENT_NAME:
		return (size_t)node->u.s_name.len;
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
		/* libiberty prints one of the arguments in its place. */
		return edit->argument_size + size;
	case DEMANGLE_COMPONENT_LAMBDA:
		if (edit->spelling->cufilt)
			size += edit_tree(edit, &node->u.s_unary_num.sub, depth);
		return size;
	default:
		break;
	}
	if (traits & LEAF)
		return size;
	size = edit_tree(edit, &node->u.s_binary.left, depth);
	if (node->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST && node->u.s_binary.left) {
		edit->arguments[edit->argument_count++] = node->u.s_binary.left;
		if (size > edit->argument_size)
			edit->argument_size = size;
	}
	return size + edit_tree(edit, &node->u.s_binary.right, depth) + 2;
}

/*
 * Edits the tree at *slot, in the order of the mangled name, parts before what they are parts of.
 * Returns about how many characters it prints as.
 */
static size_t edit_tree(struct edit *edit, component **slot, int depth)
{
	component *node = *slot;
	struct visit *visit;
	unsigned traits;

	while (edit->spelling->cufilt && node && node->type == DEMANGLE_COMPONENT_RESTRICT)
		*slot = node = node->u.s_binary.left;
	/* Templates that have ended cannot hold the parameter itself. */
	if (edit->spelling->resolves && node && node->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM &&
	    (size_t)node->u.s_number.number < edit->argument_count)
		*slot = node = edit->arguments[node->u.s_number.number];
	if (!node || edit->beyond || edit->failed)
		return 0;
	visit = visit_of(edit, node, 0);
	if (visit)
		return visit->size;
	visit = depth < DEPTH_MOST ? visit_of(edit, node, sizeof(*visit)) : NULL;
	if (!visit) {
		edit->failed = true;
		return 0;
	}
	visit->node = node;
	traits = traits_of(node);
	edit->beyond = traits & edit->spelling->beyond;
	visit->size = edit_parts(edit, node, traits, depth + 1);
	if (visit->size > TEXT_MOST)
		edit->failed = true;
	if (!edit->beyond && !edit->failed)
		edit_component(edit, visit);
	return visit->size;
}

static void free_visits(struct edit *edit)
{
	entries_for_each (struct visit, edit->visits, visit)
		free(visit->text);
	entries_free(&edit->visits);
}

/*
 * Edits and prints a tree that was made of a name of that length; the caller frees the text. NULL
 * with *beyond set where a part of it is beyond the spelling, else where memory is out, or the name
 * is too deep or too long.
 */
static char *demangle_tree(const struct spelling *spelling, component *tree, size_t letters,
			   bool *beyond)
{
	struct edit edit = {.spelling = spelling};
	char *text = NULL;

	/* An argument takes a letter of the name, or more. */
	edit.arguments = calloc(letters, sizeof(*edit.arguments));
	if (edit.arguments)
		edit_tree(&edit, &tree, 0);
	*beyond = edit.beyond;
	if (edit.arguments && !edit.beyond && !edit.failed &&
	    edit.references * (edit.templates + 1) * sizeof(void *) * 2 <= STACK_MOST)
		text = print(&edit, tree);
	free_visits(&edit);
	free(edit.arguments);
	return text;
}

/*
 * Longer names stay mangled: libiberty parses a type by recursion, with up to 96 bytes of stack for
 * each letter, and bounds that only in part.
 */
#define LENGTH_MOST (16UL << 10)

#define NVPROF                                                                                     \
	.literal = "%s=%s%.*s", .no_parameters = "void", .long_long = "__int64", .nvprof = true
static const struct spelling nvprof_unresolved = {NVPROF};
static const struct spelling nvprof = {NVPROF, .otherwise = &nvprof_unresolved,
				       .beyond = BEYOND_NVPROF, .resolves = true};
static const struct spelling binutils = {.anonymous = "(anonymous namespace)"};
static const struct spelling nsys = {.otherwise = &binutils,
				     .beyond = BEYOND_CUFILT,
				     .anonymous = "<unnamed>",
				     .literal = "(%s)%s%.*s",
				     .cufilt = true};

static bool is_identifier(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_' || letter == '$' ||
	       (unsigned char)letter >= 0x80;
}

/* The length of a qualifier, with the space before it, that a text begins with. */
static size_t qualifier_length(const char *text)
{
	static const char *const qualifiers[] = {" const", " volatile"};

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++) {
		size_t length = strlen(qualifiers[i]);

		if (!strncmp(text, qualifiers[i], length) && !is_identifier(text[length]))
			return length;
	}
	return 0;
}

/* The differences that are a matter of spaces; returns a new string. */
static char *respace(const struct spelling *spelling, const char *text)
{
	/* At most one space is added for each letter. */
	char *result = malloc(strlen(text) * 2 + 1), *write = result;

	if (!result)
		return NULL;
	for (char before = '\0'; *text; before = write[-1]) {
		size_t qualifier = qualifier_length(text);

		if (spelling->nvprof && qualifier) {
			write = mempcpy(write, text, qualifier);
			text += qualifier;
			if (*text && *text != ' ')
				*write++ = ' ';
			continue;
		}
		/* a<b<c> >; and for nsys, int* const and int (&) [4] */
		if ((spelling->nvprof || spelling->cufilt) && before == '>' &&
		    !strncmp(text, " >", 2))
			text++;
		else if (spelling->cufilt &&
			 ((before == '*' && (qualifier || !strncmp(text, " (", 2))) ||
			  (before == '&' && !strncmp(text, " (", 2)) ||
			  (before == ')' && !strncmp(text, " [", 2))))
			text++;
		else if (spelling->cufilt && (*text == '*' || *text == '&') &&
			 (is_identifier(before) || before == '>' || before == ']'))
			*write++ = ' ';
		*write++ = *text == HIDDEN_N ? 'N' : *text;
		text++;
	}
	*write = '\0';
	return result;
}

/* The part of a mangled name from "_Z" on; NULL where there is none. */
static const char *find_mangled(const char *name)
{
	static const char is_static[] = "__nv_static_";
	size_t length;
	char *end;

	/*
	 * nvcc makes the names of a file's static functions unique:
	 * __nv_static_32__b4148644_10_onerank_cu_fdf47990__ZN…, the number being the length of what
	 * stands between the underscore after it and the one before the name itself.
	 */
	if (!strncmp(name, is_static, strlen(is_static))) {
		length = strtoul(name + strlen(is_static), &end, 10);
		if (*end != '_' || strlen(end) < 3 || length > strlen(end) - 3 ||
		    end[length + 1] != '_')
			return NULL;
		name = end + length + 2;
	}
	return !strncmp(name, "_Z", 2) && strlen(name) <= LENGTH_MOST ? name : NULL;
}

static char *hide_anonymous(const char *mangled)
{
	char *copy = strdup(mangled), *at = copy;

	while (copy && (at = strstr(at, "_GLOBAL_"))) {
		at += 8;
		if (at[0] && strchr("._$", at[0]) && at[1] == 'N')
			at[1] = HIDDEN_N;
	}
	return copy;
}

/* The function's own name within its scopes, template arguments and parameters. */
static struct demangle_component *base_of(struct demangle_component *tree)
{
	for (;;) {
		switch (tree->type) {
		case DEMANGLE_COMPONENT_TYPED_NAME:
		case DEMANGLE_COMPONENT_TEMPLATE:
		case DEMANGLE_COMPONENT_CONST_THIS:
		case DEMANGLE_COMPONENT_VOLATILE_THIS:
		case DEMANGLE_COMPONENT_REFERENCE_THIS:
		case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
			tree = tree->u.s_binary.left;
			break;
		case DEMANGLE_COMPONENT_QUAL_NAME:
		case DEMANGLE_COMPONENT_LOCAL_NAME:
			tree = tree->u.s_binary.right;
			break;
		default:
			return tree;
		}
	}
}

/* NULL where the name is not mangled, cannot be read, or memory is out. */
static char *demangle_as(const struct spelling *spelling, const char *mangled, bool base)
{
	char *name = NULL, *text = NULL, *result = NULL;
	struct demangle_component *tree = NULL;
	void *memory = NULL;
	bool beyond = false;

	mangled = find_mangled(mangled);
	if (mangled)
		name = hide_anonymous(mangled);
	if (name)
		tree = cplus_demangle_v3_components(name, DEMANGLE_STYLE, &memory);
	if (tree)
		text = demangle_tree(spelling, base ? base_of(tree) : tree, strlen(name), &beyond);
	if (text)
		result = respace(spelling, text);
	free(text);
	free(memory);
	free(name);
	return beyond ? demangle_as(spelling->otherwise, mangled, base) : result;
}

char *demangle(const char *mangled)
{
	return demangle_as(&nvprof, mangled, false);
}

char *nsys_demangle(const char *mangled)
{
	char *name = demangle_as(&nsys, mangled, false);

	return name ? name : strdup(mangled);
}

char *nsys_demangle_base(const char *mangled)
{
	char *name = demangle_as(&nsys, mangled, true);

	return name ? name : strdup(mangled);
}

/* Shorter forms of a readable name. */

/* The length of "operator<<" and its like, whose signs are no brackets; 0 for anything else. */
static size_t operator_length(const char *name, const char *text)
{
	static const char *const signs[] = {"()", "[]", "<=>", "<<=", ">>=", "<<", ">>",
					    "<=", ">=", "->*", "->",  "<",   ">"};

	if (strncmp(text, "operator", 8) != 0 || (text > name && is_identifier(text[-1])))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strncmp(text + 8, signs[i], strlen(signs[i])) == 0)
			return 8 + strlen(signs[i]);
	return 0;
}

/* The bytes up to the next of the given letters outside of all brackets, or to the end. */
static size_t outside_length(const char *text, const char *letters)
{
	const char *start = text;
	int depth = 0;

	for (; *text; text++) {
		size_t sign = operator_length(start, text);

		if (sign) {
			text += sign - 1;
			continue;
		}
		if (depth == 0 && strchr(letters, *text))
			break;
		if (strchr("<({[", *text))
			depth++;
		else if (strchr(">)}]", *text))
			depth--;
		if (depth < 0)
			break;
	}
	return (size_t)(text - start);
}

/* Appends `length` bytes of a name without template arguments and, unless asked for, scopes. */
static char *append_plain(char *out, const char *name, size_t length, bool scopes)
{
	const char *end = name + length, *text = name;
	char *component = out;

	while (text < end) {
		size_t sign = operator_length(name, text);

		if (sign) {
			out = mempcpy(out, text, sign);
			text += sign;
		} else if (*text == '<') {
			text++;
			for (size_t inside; text < end && *text != '>'; text += inside)
				inside = outside_length(text, "") ?: 1;
			text += text < end;
		} else if (strncmp(text, "::", 2) == 0) {
			text += 2;
			/* A bare operator() would tell nothing. */
			if (scopes || operator_length(name, text))
				out = mempcpy(out, "::", 2);
			else
				out = component;
		} else {
			if (!is_identifier(*text) && !strchr("{}#", *text))
				component = out + 1;
			*out++ = *text++;
		}
	}
	return out;
}

/* Where the function's name begins: behind its return type. */
static const char *skip_return_type(const char *name, size_t length)
{
	const char *start = name;

	for (;;) {
		size_t word = outside_length(start, " ");

		if (word >= length - (size_t)(start - name))
			return start;
		start += word + 1;
	}
}

char *short_name(const char *name, bool base)
{
	size_t length = outside_length(name, "(");
	const char *start = skip_return_type(name, length), *end = name + length, *list = start;
	/* Nothing is added but a bracket and what separates arguments. */
	char *result = malloc(2 * strlen(name) + 3), *out = result;

	if (!result)
		return NULL;
	/* The template arguments of the function itself are at the end. */
	for (const char *next = start; next < end;) {
		next += outside_length(next, "<");
		list = next;
		if (next < end) {
			next += 1 + outside_length(next + 1, "");
			next += next < end;
		}
	}
	if (base || list >= end || outside_length(list + 1, "") + list + 2 != end) {
		out = append_plain(out, start, (size_t)(end - start), !base);
		*out = '\0';
		/* A name that is read wrongly stays as it is. */
		return *result ? result : strcpy(result, name);
	}
	out = append_plain(out, start, (size_t)(list - start), true);
	*out++ = '<';
	for (list++; list < end - 1;) {
		size_t argument = outside_length(list, ",");

		out = append_plain(out, list, argument, false);
		list += argument;
		if (*list == ',') {
			out = mempcpy(out, ", ", 2);
			list += 1 + (list[1] == ' ');
		}
	}
	*out++ = '>';
	*out = '\0';
	return result;
}

char *telling_name(const char *name)
{
	static const char wrapped[] = "cutlass::Kernel", of[] = "<cutlass_";
	char *whole = short_name(name, false), *argument = whole ? strchr(whole, '<') : NULL;
	char *result;

	if (argument && !strncmp(whole, wrapped, sizeof(wrapped) - 1) &&
	    !strncmp(argument, of, sizeof(of) - 1))
		result = strndup(argument + 1, strcspn(argument + 1, ",>"));
	else
		result = short_name(name, true);
	free(whole);
	return result;
}
