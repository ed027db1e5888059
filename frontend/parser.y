/* The grammar of a .loop file: the subset of C99 that loopc transforms, and as
 * much around it as it takes to say well what is not in the subset.  It is one long file, since a
 * grammar is one table: bison takes it whole. */

%code requires {
#include "frontend/parse.h"
}

%code provides {
int yylex(YYSTYPE *value, YYLTYPE *location, struct parse *parse);
}

%code {
#include <stdio.h>
#include <string.h>

/* The depth of the parser's own stack: deeper input is refused. */
#define YYMAXDEPTH 4000

#define YYLLOC_DEFAULT(current, rhs, count) \
	((current) = (count) ? join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, count)) : \
		after(YYRHSLOC(rhs, 0)))

static struct location join(struct location from, struct location to)
{
	if (from.file == to.file && from.line == to.line && to.end_column > from.end_column)
		from.end_column = to.end_column;
	return from;
}

static struct location after(struct location at)
{
	if (at.end_column)
		at.column = at.end_column;
	at.end_column = 0;
	return at;
}

static void yyerror(const YYLTYPE *location, struct parse *parse, const char *message)
{
	(void)message;
	if (!parse->gave_up)
		diag_error(parse->diag, *location,
			"this is nested too deeply; split the statement or the function");
	parse->gave_up = true;
}

static struct ast_expr *check_depth(struct parse *parse, struct ast_expr *expr)
{
	if (expr->depth == AST_DEPTH_LIMIT)
		diag_error(parse->diag, expr->location,
			"the expression has more than %d levels; split the statement",
			(int)AST_DEPTH_LIMIT);
	if (expr->depth < AST_DEPTH_LIMIT)
		return expr;
	return ast_leaf(parse->arena, AST_UNSUPPORTED, expr->location, "");
}

static struct ast_expr *node(struct parse *parse, enum ast_expr_kind kind, struct location at,
	const char *text, struct ast_expr *a, struct ast_expr *b, struct ast_expr *c)
{
	return check_depth(parse, ast_node(parse->arena, kind, at, text, a, b, c));
}

static struct ast_expr *binary(struct parse *parse, struct location at, const char *text,
	struct ast_expr *a, struct ast_expr *b)
{
	return node(parse, AST_BINARY, at, text, a, b, NULL);
}

static struct ast_stmt *check_stmt_depth(struct parse *parse, struct ast_stmt *stmt)
{
	const struct ast_stmt *inner[] = { stmt->body, stmt->otherwise };
	for (int i = 0; i < 2; i++)
		if (inner[i] && inner[i]->depth >= stmt->depth)
			stmt->depth = inner[i]->depth + 1;
	for (size_t i = 0; i < stmt->items.count && stmt->kind == AST_BLOCK; i++) {
		const struct ast_stmt *item = stmt->items.items[i];
		if (item->depth >= stmt->depth)
			stmt->depth = item->depth + 1;
	}
	if (stmt->depth < AST_DEPTH_LIMIT)
		return stmt;
	if (stmt->depth == AST_DEPTH_LIMIT)
		diag_error(parse->diag, stmt->location, "statements are nested more than %d deep",
			(int)AST_DEPTH_LIMIT);
	return ast_stmt(parse->arena, AST_EMPTY, stmt->location);
}

static struct ast_stmt *unsupported(struct parse *parse, struct location at, const char *what,
	const char *instead)
{
	diag_error(parse->diag, at, "'%s' is not in the language of loops; %s", what, instead);
	return ast_stmt(parse->arena, AST_EMPTY, at);
}

static struct ast_declarator *declarator(struct parse *parse, struct location at,
	const char *name)
{
	struct ast_declarator *result = ARENA_NEW(parse->arena, struct ast_declarator);
	result->name = name;
	result->location = at;
	return result;
}

static void add_item(struct parse *parse, enum ast_item_kind kind, struct ast_function *function,
	struct ast_stmt *stmt)
{
	struct ast_item *item = ARENA_NEW(parse->arena, struct ast_item);
	*item = (struct ast_item){ kind, function, stmt };
	ast_append(parse->arena, &parse->file->items, item);
}

/* Gives TYPE to the declarators of a declaration, and the parser the names that a
 * typedef declares. */
static void finish_declaration(struct parse *parse, struct ast_type type,
	const struct ast_list *declarators)
{
	for (size_t i = 0; i < declarators->count; i++) {
		struct ast_declarator *each = declarators->items[i];
		each->type = type;
		if (!type.is_typedef)
			continue;
		if (each->extents.count || each->pointer_count || each->is_function || type.is_void)
			diag_error(parse->diag, each->location,
				"typedef '%s' is no scalar type; only those may be named",
				each->name);
		ast_append(parse->arena, &parse->typedefs, each);
	}
}

static struct ast_function *function(struct parse *parse, struct ast_type type,
	struct ast_declarator *head, struct ast_stmt *body)
{
	struct ast_function *result = ARENA_NEW(parse->arena, struct ast_function);
	head->type = type;
	*result = (struct ast_function){ head, body, parse->pragmas };
	parse->pragmas = (struct ast_list){ 0 };
	if (!head->is_function)
		diag_error(parse->diag, head->location,
			"'%s' has a body but no parameters; write them in '( )'", head->name);
	return result;
}
}

%define api.pure full
%define api.prefix {loop_parse_}
%define api.location.type {struct location}
%define api.token.prefix {TOK_}
%define parse.lac full
%define parse.error custom
%locations
%expect 0
%param { struct parse *parse }

/* Everything that is allocated lives in the arena: nothing to destroy. */
%union {
	const char *text;
	unsigned word;
	int count;
	struct ast_type type;
	struct specifiers specifiers;
	struct ast_expr *expr;
	struct ast_stmt *stmt;
	struct ast_declarator *declarator;
	struct ast_enumerator *enumerator;
	struct ast_list list;
}

%token END 0 "the end of the file"
%token <text> NAME "a name" NUMBER "a number" STRING "a string" PRAGMA "#pragma loopc"
%token <type> TYPE_NAME "a type's name"
%token <text> STRAY "a character that is not C's"
%token VOID "void" CHAR "char" SHORT "short" INT "int" LONG "long" SIGNED "signed"
%token UNSIGNED "unsigned" FLOAT "float" DOUBLE "double" BOOL "_Bool" COMPLEX "_Complex"
%token STRUCT "struct" UNION "union" ENUM "enum" TYPEDEF "typedef" CONST "const"
%token VOLATILE "volatile" RESTRICT "restrict" STATIC "static" EXTERN "extern"
%token INLINE "inline" REGISTER "register" AUTO "auto" SIZEOF "sizeof"
%token FOR "for" IF "if" ELSE "else" WHILE "while" DO "do" SWITCH "switch" CASE "case"
%token DEFAULT "default" BREAK "break" CONTINUE "continue" GOTO "goto" RETURN "return"
%token ELLIPSIS "..." ARROW "->" INCREMENT "++" DECREMENT "--" SHIFT_LEFT "<<"
%token SHIFT_RIGHT ">>" LESS_EQUAL "<=" GREATER_EQUAL ">=" EQUAL "==" NOT_EQUAL "!="
%token AND_AND "&&" OR_OR "||"
%token <text> ASSIGN "an assignment operator"

%precedence LOWER_THAN_ELSE
%precedence "else"
%right '=' ASSIGN
%right '?'
%left "||"
%left "&&"
%left '|'
%left '^'
%left '&'
%left "==" "!="
%left '<' '>' "<=" ">="
%left "<<" ">>"
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY
%precedence '[' '(' '.' "->" "++" "--"

%type <specifiers> specifiers
%type <word> type_word
%type <type> declared_type struct_specifier
%type <list> enumerators init_declarators parameters parameter_list items arguments argument_list
%type <list> enum_specifier initializers
%type <enumerator> enumerator
%type <declarator> declarator direct_declarator init_declarator parameter
%type <declarator> abstract_declarator abstract_extents
%type <expr> expr expression expression_opt extent
%type <stmt> statement compound item declaration for_initial
%type <count> pointer

%%

file:
	%empty
|	file external
;

external:
	declared_type declarator compound {
		add_item(parse, AST_ITEM_FUNCTION, function(parse, $1, $2, $3), NULL);
	}
|	declaration {
		add_item(parse, $1->kind == AST_ENUM ? AST_ITEM_ENUM : AST_ITEM_DECLARATION, NULL, $1);
	}
|	PRAGMA {
		struct ast_stmt *pragma = ast_stmt(parse->arena, AST_PRAGMA, @1);
		pragma->text = $1;
		ast_append(parse->arena, &parse->pragmas, pragma);
	}
|	';'
|	error ';'
|	error '}'
;

declaration:
	declared_type init_declarators ';' {
		$$ = ast_stmt(parse->arena, AST_DECLARATION, @1);
		$$->items = $2;
		finish_declaration(parse, $1, &$2);
	}
|	declared_type ';' {
		$$ = ast_stmt(parse->arena, AST_DECLARATION, @1);
	}
|	enum_specifier ';' {
		$$ = ast_stmt(parse->arena, AST_ENUM, @1);
		$$->items = $1;
	}
;

declared_type:
	specifiers { $$ = specifiers_type(parse, $1, @1); }
|	struct_specifier { $$ = $1; }
;

specifiers:
	type_word {
		$$ = (struct specifiers){ 0 };
		specifiers_add(parse, &$$, $1, @1);
	}
|	TYPE_NAME { $$ = (struct specifiers){ SPECIFIER_NAMED, $1 }; }
|	"const" { $$ = (struct specifiers){ .type.is_const = true }; }
|	"static" { $$ = (struct specifiers){ .type.is_static = true }; }
|	"typedef" { $$ = (struct specifiers){ .type.is_typedef = true }; }
|	ignored_word { $$ = (struct specifiers){ 0 }; }
|	specifiers type_word { $$ = $1; specifiers_add(parse, &$$, $2, @2); }
|	specifiers TYPE_NAME {
		$$ = $1;
		bool is_const = $1.type.is_const || $2.is_const;
		bool is_static = $1.type.is_static, is_typedef = $1.type.is_typedef;
		specifiers_add(parse, &$$, SPECIFIER_NAMED, @2);
		$$.type = $2;
		$$.type.is_const = is_const;
		$$.type.is_static = is_static;
		$$.type.is_typedef = is_typedef;
	}
|	specifiers struct_specifier { $$ = $1; $$.words |= SPECIFIER_OTHER; }
|	specifiers "const" { $$ = $1; $$.type.is_const = true; }
|	specifiers "static" { $$ = $1; $$.type.is_static = true; }
|	specifiers "typedef" { $$ = $1; $$.type.is_typedef = true; }
|	specifiers ignored_word { $$ = $1; }
;

type_word:
	"void" { $$ = SPECIFIER_VOID; }
|	"char" { $$ = SPECIFIER_CHAR; }
|	"short" { $$ = SPECIFIER_SHORT; }
|	"int" { $$ = SPECIFIER_INT; }
|	"long" { $$ = SPECIFIER_LONG; }
|	"signed" { $$ = SPECIFIER_SIGNED; }
|	"unsigned" { $$ = SPECIFIER_UNSIGNED; }
|	"float" { $$ = SPECIFIER_FLOAT; }
|	"double" { $$ = SPECIFIER_DOUBLE; }
|	"_Bool" { $$ = SPECIFIER_BOOL; }
|	"_Complex" {
		diag_error(parse->diag, @1, "_Complex is not supported; use an array with a "
			"dimension of 2");
		$$ = SPECIFIER_OTHER;
	}
;

ignored_word:
	"extern" | "inline" | "register" | "auto" | "restrict"
|	"volatile" {
		diag_error(parse->diag, @1, "'volatile' is not supported: the order of accesses "
			"changes; leave it out");
	}
;

struct_specifier:
	struct_word NAME { $$ = (struct ast_type){ .type = { TYPE_INT32, 4, "int" } }; }
|	struct_word NAME '{' members '}' { $$ = (struct ast_type){ .type = { TYPE_INT32, 4, "int" } }; }
|	struct_word '{' members '}' { $$ = (struct ast_type){ .type = { TYPE_INT32, 4, "int" } }; }
;

struct_word:
	"struct" {
		diag_error(parse->diag, @1, "'struct' is not supported; use an array for each member");
	}
|	"union" {
		diag_error(parse->diag, @1, "'union' is not supported; use an array for each member");
	}
;

members:
	%empty
|	members declared_type init_declarators ';'
|	members error ';'
;

enum_specifier:
	"enum" '{' enumerators '}' { $$ = $3; }
|	"enum" '{' enumerators ',' '}' { $$ = $3; }
|	"enum" NAME '{' enumerators '}' { $$ = $4; }
|	"enum" NAME '{' enumerators ',' '}' { $$ = $4; }
|	"enum" NAME error { $$ = (struct ast_list){ 0 }; }
|	"enum" '{' error '}' { $$ = (struct ast_list){ 0 }; }
;

enumerators:
	enumerator { $$ = (struct ast_list){ 0 }; ast_append(parse->arena, &$$, $1); }
|	enumerators ',' enumerator { $$ = $1; ast_append(parse->arena, &$$, $3); }
;

enumerator:
	NAME {
		$$ = ARENA_NEW(parse->arena, struct ast_enumerator);
		*$$ = (struct ast_enumerator){ $1, @1, NULL };
	}
|	NAME '=' expr {
		$$ = ARENA_NEW(parse->arena, struct ast_enumerator);
		*$$ = (struct ast_enumerator){ $1, @1, $3 };
	}
;

init_declarators:
	init_declarator { $$ = (struct ast_list){ 0 }; ast_append(parse->arena, &$$, $1); }
|	init_declarators ',' init_declarator { $$ = $1; ast_append(parse->arena, &$$, $3); }
;

init_declarator:
	declarator { $$ = $1; }
|	declarator '=' expr { $$ = $1; $$->initial = $3; }
|	declarator '=' '{' initializers '}' { $$ = $1; $$->has_braces = true; }
|	declarator '=' '{' initializers ',' '}' { $$ = $1; $$->has_braces = true; }
;

initializers:
	initializer { $$ = (struct ast_list){ 0 }; }
|	initializers ',' initializer { $$ = $1; }
;

initializer:
	expr
|	'{' initializers '}'
|	'{' initializers ',' '}'
;

declarator:
	direct_declarator
|	pointer declarator { $$ = $2; $$->pointer_count += $1; }
;

direct_declarator:
	NAME { $$ = declarator(parse, @1, $1); }
|	'(' declarator ')' { $$ = $2; }
|	direct_declarator '[' extent ']' {
		$$ = $1;
		ast_append(parse->arena, &$$->extents, $3);
	}
|	direct_declarator '(' parameters ')' {
		$$ = $1;
		if ($$->is_function || $$->extents.count)
			diag_error(parse->diag, @$, "pointers to functions are not supported; call "
				"the function by its name");
		$$->is_function = true;
		$$->parameters = $3;
	}
;

pointer:
	'*' { $$ = 1; }
|	'*' "const" { $$ = 1; }
|	'*' "restrict" { $$ = 1; }
|	'*' "const" "restrict" { $$ = 1; }
;

extent:
	%empty { $$ = NULL; }
|	expr
|	extent_words expr { $$ = $2; }
;

extent_words:
	extent_word
|	extent_words extent_word
;

extent_word:
	"static" | "restrict" | "const"
;

parameters:
	%empty { $$ = (struct ast_list){ 0 }; }
|	parameter_list
|	parameter_list ',' "..." {
		$$ = $1;
		diag_error(parse->diag, @3, "a variable number of parameters is not supported; "
			"name them all");
	}
;

parameter_list:
	parameter { $$ = (struct ast_list){ 0 }; ast_append(parse->arena, &$$, $1); }
|	parameter_list ',' parameter { $$ = $1; ast_append(parse->arena, &$$, $3); }
;

parameter:
	declared_type declarator {
		$$ = $2;
		$$->type = $1;
		if ($$->is_function)
			diag_error(parse->diag, @2, "parameters that are functions are not supported; "
				"call a function by its name");
	}
|	declared_type abstract_declarator {
		$$ = $2 ? $2 : declarator(parse, @1, NULL);
		$$->type = $1;
	}
;

abstract_declarator:
	%empty { $$ = NULL; }
|	pointer abstract_declarator {
		$$ = $2 ? $2 : declarator(parse, @1, NULL);
		$$->pointer_count += $1;
	}
|	abstract_extents
;

abstract_extents:
	'[' extent ']' {
		$$ = declarator(parse, @$, NULL);
		ast_append(parse->arena, &$$->extents, $2);
	}
|	abstract_extents '[' extent ']' {
		$$ = $1;
		ast_append(parse->arena, &$$->extents, $3);
	}
;

compound:
	'{' items '}' {
		$$ = ast_stmt(parse->arena, AST_BLOCK, @1);
		$$->items = $2;
		$$ = check_stmt_depth(parse, $$);
	}
;

items:
	%empty { $$ = (struct ast_list){ 0 }; }
|	items item { $$ = $1; ast_append(parse->arena, &$$, $2); }
|	items error ';' { $$ = $1; }
|	items error compound { $$ = $1; ast_append(parse->arena, &$$, $3); }
;

item:
	declaration
|	statement
;

statement:
	compound
|	expression ';' {
		$$ = ast_stmt(parse->arena, AST_EXPRESSION, @1);
		$$->condition = $1;
	}
|	';' { $$ = ast_stmt(parse->arena, AST_EMPTY, @1); }
|	PRAGMA statement {
		$$ = ast_stmt(parse->arena, AST_PRAGMA, @1);
		$$->text = $1;
		$$->body = $2;
		$$ = check_stmt_depth(parse, $$);
	}
|	"if" '(' expression ')' statement %prec LOWER_THAN_ELSE {
		$$ = ast_stmt(parse->arena, AST_IF, @1);
		$$->condition = $3;
		$$->body = $5;
		$$ = check_stmt_depth(parse, $$);
	}
|	"if" '(' expression ')' statement "else" statement {
		$$ = ast_stmt(parse->arena, AST_IF, @1);
		$$->condition = $3;
		$$->body = $5;
		$$->otherwise = $7;
		$$ = check_stmt_depth(parse, $$);
	}
|	"for" '(' for_initial expression_opt ';' expression_opt ')' statement {
		$$ = ast_stmt(parse->arena, AST_FOR, join(@1, @7));
		$$->initial = $3;
		$$->condition = $4;
		$$->step = $6;
		$$->body = $8;
		$$ = check_stmt_depth(parse, $$);
	}
|	"for" '(' error ')' statement { $$ = $5; }
|	"if" '(' error ')' statement %prec LOWER_THAN_ELSE { $$ = $5; }
|	"if" '(' error ')' statement "else" statement { $$ = $5; }
|	"while" '(' expression ')' statement {
		$$ = unsupported(parse, @1, "while",
			"write a for loop with bounds that are known, such as "
			"for (int i = 0; i < N; i++)");
	}
|	"do" statement "while" '(' expression ')' ';' {
		$$ = unsupported(parse, @1, "do",
			"write a for loop with bounds that are known, such as "
			"for (int i = 0; i < N; i++)");
	}
|	"switch" '(' expression ')' statement {
		$$ = unsupported(parse, @1, "switch", "write if and else on iterators and sizes, "
			"or ?: on data");
	}
|	"case" expr ':' statement { $$ = $4; }
|	"default" ':' statement { $$ = $3; }
|	NAME ':' statement {
		diag_error(parse->diag, @1, "labels are not in the language of loops; leave '%s:' out",
			$1);
		$$ = $3;
	}
|	"goto" NAME ';' { $$ = unsupported(parse, @1, "goto", "write for loops and if"); }
|	"break" ';' {
		$$ = unsupported(parse, @1, "break", "put the condition on the iterators into the "
			"loop's bound: for (...; i < N && i < M; ...)");
	}
|	"continue" ';' {
		$$ = unsupported(parse, @1, "continue", "put the rest of the loop's body into an "
			"if with the opposite condition");
	}
|	"return" expression_opt ';' {
		$$ = ast_stmt(parse->arena, AST_RETURN, @1);
		$$->condition = $2;
	}
;

for_initial:
	expression_opt ';' {
		$$ = NULL;
		if ($1) {
			$$ = ast_stmt(parse->arena, AST_EXPRESSION, @1);
			$$->condition = $1;
		}
	}
|	declaration
;

expression_opt:
	%empty { $$ = NULL; }
|	expression
;

expression:
	expr
|	expression ',' expr { $$ = binary(parse, @$, ",", $1, $3); }
;

expr:
	NAME { $$ = ast_leaf(parse->arena, AST_NAME, @1, $1); }
|	NUMBER { $$ = ast_leaf(parse->arena, AST_NUMBER, @1, $1); }
|	STRING {
		diag_error(parse->diag, @1, "strings are not supported");
		$$ = ast_leaf(parse->arena, AST_UNSUPPORTED, @1, $1);
	}
|	'(' expression ')' { $$ = $2; }
|	expr '[' expression ']' {
		$$ = node(parse, AST_SUBSCRIPT, @$, NULL, $1, $3, NULL);
	}
|	expr '(' arguments ')' {
		$$ = check_depth(parse, ast_call(parse->arena, @$, $1, $3));
	}
|	expr '.' NAME {
		diag_error(parse->diag, @$, "members are not supported; use an array for each member");
		$$ = ast_leaf(parse->arena, AST_UNSUPPORTED, @$, "");
	}
|	expr "->" NAME {
		diag_error(parse->diag, @$, "pointers are not supported; declare an array, such as "
			"float A[N]");
		$$ = ast_leaf(parse->arena, AST_UNSUPPORTED, @$, "");
	}
|	expr "++" { $$ = node(parse, AST_STEP, @$, "++", $1, NULL, NULL); }
|	expr "--" { $$ = node(parse, AST_STEP, @$, "--", $1, NULL, NULL); }
|	"++" expr %prec UNARY { $$ = node(parse, AST_STEP, @$, "++", $2, NULL, NULL); }
|	"--" expr %prec UNARY { $$ = node(parse, AST_STEP, @$, "--", $2, NULL, NULL); }
|	'-' expr %prec UNARY { $$ = node(parse, AST_UNARY, @$, "-", $2, NULL, NULL); }
|	'+' expr %prec UNARY { $$ = node(parse, AST_UNARY, @$, "+", $2, NULL, NULL); }
|	'~' expr %prec UNARY { $$ = node(parse, AST_UNARY, @$, "~", $2, NULL, NULL); }
|	'!' expr %prec UNARY { $$ = node(parse, AST_UNARY, @$, "!", $2, NULL, NULL); }
|	'&' expr %prec UNARY {
		diag_error(parse->diag, @$, "taking an address is not supported; "
			"name the array's element, such as A[0]");
		$$ = ast_leaf(parse->arena, AST_UNSUPPORTED, @$, "");
	}
|	'*' expr %prec UNARY {
		diag_error(parse->diag, @$, "pointers are not supported; write a subscript, "
			"such as A[i]");
		$$ = ast_leaf(parse->arena, AST_UNSUPPORTED, @$, "");
	}
|	"sizeof" expr %prec UNARY {
		diag_error(parse->diag, @1, "'sizeof' is not supported; write the number");
		$$ = ast_leaf(parse->arena, AST_UNSUPPORTED, @$, "");
	}
|	"sizeof" '(' declared_type abstract_declarator ')' %prec UNARY {
		diag_error(parse->diag, @1, "'sizeof' is not supported; write the number");
		$$ = ast_leaf(parse->arena, AST_UNSUPPORTED, @$, "");
	}
|	'(' declared_type abstract_declarator ')' expr %prec UNARY {
		if ($3)
			diag_error(parse->diag, @$, "pointers are not supported; cast to a scalar type");
		$$ = node(parse, AST_CAST, @$, NULL, $5, NULL, NULL);
		$$->type = $2;
	}
|	expr '*' expr { $$ = binary(parse, @$, "*", $1, $3); }
|	expr '/' expr { $$ = binary(parse, @$, "/", $1, $3); }
|	expr '%' expr { $$ = binary(parse, @$, "%", $1, $3); }
|	expr '+' expr { $$ = binary(parse, @$, "+", $1, $3); }
|	expr '-' expr { $$ = binary(parse, @$, "-", $1, $3); }
|	expr "<<" expr { $$ = binary(parse, @$, "<<", $1, $3); }
|	expr ">>" expr { $$ = binary(parse, @$, ">>", $1, $3); }
|	expr '<' expr { $$ = binary(parse, @$, "<", $1, $3); }
|	expr '>' expr { $$ = binary(parse, @$, ">", $1, $3); }
|	expr "<=" expr { $$ = binary(parse, @$, "<=", $1, $3); }
|	expr ">=" expr { $$ = binary(parse, @$, ">=", $1, $3); }
|	expr "==" expr { $$ = binary(parse, @$, "==", $1, $3); }
|	expr "!=" expr { $$ = binary(parse, @$, "!=", $1, $3); }
|	expr '&' expr { $$ = binary(parse, @$, "&", $1, $3); }
|	expr '^' expr { $$ = binary(parse, @$, "^", $1, $3); }
|	expr '|' expr { $$ = binary(parse, @$, "|", $1, $3); }
|	expr "&&" expr { $$ = binary(parse, @$, "&&", $1, $3); }
|	expr "||" expr { $$ = binary(parse, @$, "||", $1, $3); }
|	expr '?' expression ':' expr %prec '?' {
		$$ = node(parse, AST_CONDITIONAL, @$, NULL, $1, $3, $5);
	}
|	expr '=' expr { $$ = node(parse, AST_ASSIGN, @$, "=", $1, $3, NULL); }
|	expr ASSIGN expr { $$ = node(parse, AST_ASSIGN, @$, $2, $1, $3, NULL); }
;

arguments:
	%empty { $$ = (struct ast_list){ 0 }; }
|	argument_list
;

argument_list:
	expr { $$ = (struct ast_list){ 0 }; ast_append(parse->arena, &$$, $1); }
|	argument_list ',' expr { $$ = $1; ast_append(parse->arena, &$$, $3); }
;

%%

/* Syntax errors: what was expected in the words of the language, not of the
 * grammar. */

enum { EXPECTED_LIMIT = 100 };

static bool is_expected(const yysymbol_kind_t *expected, int count, yysymbol_kind_t symbol)
{
	for (int i = 0; i < count; i++)
		if (expected[i] == symbol)
			return true;
	return false;
}

/* NAME of a token, in quotes if it is what stands in the source. */
static const char *quoted(char *buffer, size_t size, const char *name)
{
	bool is_phrase = *name == '\'' || !strncmp(name, "a ", 2) || !strncmp(name, "an ", 3) ||
		!strncmp(name, "the ", 4);
	snprintf(buffer, size, is_phrase ? "%s" : "'%s'", name);
	return buffer;
}

/* What to ask for, out of many possible tokens; NULL if nothing stands out. */
static const char *expected_text(const yysymbol_kind_t *expected, int count,
	yysymbol_kind_t found, char *buffer, size_t size)
{
	static const char *const closers[] = { "';'", "')'", "']'", "'}'", "':'" };
	bool has_operand = is_expected(expected, count, YYSYMBOL_NUMBER);
	if (found == YYSYMBOL_YYEOF && is_expected(expected, count, YYSYMBOL_FOR))
		return "'}'";
	if (is_expected(expected, count, YYSYMBOL_FOR))
		return "a statement";
	if (has_operand)
		return "an expression";
	if (is_expected(expected, count, YYSYMBOL_INT) && found == YYSYMBOL_NAME)
		return "a type";
	for (size_t i = 0; i < sizeof closers / sizeof *closers && count > 4; i++)
		for (int j = 0; j < count; j++)
			if (!strcmp(yysymbol_name(expected[j]), closers[i]))
				return closers[i];
	if (is_expected(expected, count, YYSYMBOL_INT))
		return "a declaration";
	if (count == 0 || count > 4)
		return NULL;
	size_t length = 0;
	for (int i = 0; i < count; i++) {
		char name[80];
		length += (size_t)snprintf(buffer + length, size - length, "%s%s",
			i == 0 ? "" : i + 1 < count ? ", " : " or ",
			quoted(name, sizeof name, yysymbol_name(expected[i])));
	}
	return buffer;
}

static int yyreport_syntax_error(const yypcontext_t *context, struct parse *parse)
{
	yysymbol_kind_t expected[EXPECTED_LIMIT];
	int count = yypcontext_expected_tokens(context, expected, EXPECTED_LIMIT);
	yysymbol_kind_t found = yypcontext_token(context);
	struct location at = *yypcontext_location(context);
	char buffer[400], name[80];
	const char *wanted = count < 0 ? NULL :
		expected_text(expected, count, found, buffer, sizeof buffer);
	int stray_line = parse->stray_line;
	if (stray_line && (at.line == stray_line || parse->previous.line == stray_line))
		return 0;
	quoted(name, sizeof name, found == YYSYMBOL_YYEMPTY ? "this" : yysymbol_name(found));
	if (wanted && parse->previous.line && parse->previous.line != at.line &&
	    (!strcmp(wanted, "';'") || found == YYSYMBOL_YYEOF))
		at = after(parse->previous);
	if (wanted)
		diag_error(parse->diag, at, "expected %s before %s", wanted, name);
	else
		diag_error(parse->diag, at, "%s is not expected here", name);
	return 0;
}

/* From the preprocessor's tokens to the grammar's. */

static const struct { const char *text; int token; } keywords[] = {
	{ "void", TOK_VOID }, { "char", TOK_CHAR }, { "short", TOK_SHORT }, { "int", TOK_INT },
	{ "long", TOK_LONG }, { "signed", TOK_SIGNED }, { "unsigned", TOK_UNSIGNED },
	{ "float", TOK_FLOAT }, { "double", TOK_DOUBLE }, { "_Bool", TOK_BOOL },
	{ "_Complex", TOK_COMPLEX }, { "struct", TOK_STRUCT }, { "union", TOK_UNION },
	{ "enum", TOK_ENUM }, { "typedef", TOK_TYPEDEF }, { "const", TOK_CONST },
	{ "volatile", TOK_VOLATILE }, { "restrict", TOK_RESTRICT }, { "static", TOK_STATIC },
	{ "extern", TOK_EXTERN }, { "inline", TOK_INLINE }, { "register", TOK_REGISTER },
	{ "auto", TOK_AUTO }, { "sizeof", TOK_SIZEOF }, { "for", TOK_FOR }, { "if", TOK_IF },
	{ "else", TOK_ELSE }, { "while", TOK_WHILE }, { "do", TOK_DO }, { "switch", TOK_SWITCH },
	{ "case", TOK_CASE }, { "default", TOK_DEFAULT }, { "break", TOK_BREAK },
	{ "continue", TOK_CONTINUE }, { "goto", TOK_GOTO }, { "return", TOK_RETURN },
};
static const struct { const char *text; int token; } punctuators[] = {
	{ "...", TOK_ELLIPSIS }, { "->", TOK_ARROW }, { "++", TOK_INCREMENT },
	{ "--", TOK_DECREMENT }, { "<<", TOK_SHIFT_LEFT }, { ">>", TOK_SHIFT_RIGHT },
	{ "<=", TOK_LESS_EQUAL }, { ">=", TOK_GREATER_EQUAL }, { "==", TOK_EQUAL },
	{ "!=", TOK_NOT_EQUAL }, { "&&", TOK_AND_AND }, { "||", TOK_OR_OR },
	{ "*=", TOK_ASSIGN }, { "/=", TOK_ASSIGN }, { "%=", TOK_ASSIGN }, { "+=", TOK_ASSIGN },
	{ "-=", TOK_ASSIGN }, { "<<=", TOK_ASSIGN }, { ">>=", TOK_ASSIGN }, { "&=", TOK_ASSIGN },
	{ "^=", TOK_ASSIGN }, { "|=", TOK_ASSIGN },
};

static int keyword_token(const char *text)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (!strcmp(keywords[i].text, text))
			return keywords[i].token;
	return 0;
}

static struct token next_token(struct parse *parse)
{
	struct token token = parse->has_ahead ? parse->ahead : preprocess_next(parse->preprocessor);
	parse->has_ahead = false;
	return token;
}

/* A declaration may go on with a type: it has none yet, or a part, as far as the last token says. */
static bool may_be_type(const struct parse *parse)
{
	static const int before[] = { 0, '(', ',', '{', '}', ';', TOK_CONST, TOK_STATIC, TOK_EXTERN,
		TOK_INLINE, TOK_TYPEDEF, TOK_REGISTER, TOK_RESTRICT, TOK_SIGNED, TOK_UNSIGNED, TOK_LONG };
	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		if (parse->last_token == before[i])
			return true;
	return false;
}

/* Where a declaration may begin a name before another name can only mean a type. */
static bool is_unknown_type(struct parse *parse)
{
	struct ast_type type;
	if (!may_be_type(parse))
		return false;
	parse->ahead = next_token(parse);
	parse->has_ahead = true;
	return parse->ahead.kind == TOKEN_NAME && !keyword_token(parse->ahead.text)
		&& !parse_find_type(parse, parse->ahead.text, &type);
}

/* Says so once: from then on NAME is int. */
static void declare_unknown_type(struct parse *parse, struct location at, const char *name)
{
	struct ast_declarator *declarator = ARENA_NEW(parse->arena, struct ast_declarator);
	declarator->name = name;
	declarator->type.type = (struct type){ TYPE_INT32, 4, "int" };
	ast_append(parse->arena, &parse->typedefs, declarator);
	diag_error(parse->diag, at, "'%s' is no type that loopc knows: it has C99's integers, those of "
		"<stdint.h> too, float and double", name);
}

static int name_token(struct parse *parse, struct token token, YYSTYPE *value)
{
	int keyword = keyword_token(token.text);
	if (keyword)
		return keyword;
	if (!parse_find_type(parse, token.text, &value->type)) {
		value->text = token.text;
		if (!is_unknown_type(parse))
			return TOK_NAME;
		declare_unknown_type(parse, token.location, token.text);
		parse_find_type(parse, token.text, &value->type);
	}
	return TOK_TYPE_NAME;
}

static int punctuator_token(const char *text)
{
	for (size_t i = 0; i < sizeof punctuators / sizeof *punctuators; i++)
		if (!strcmp(punctuators[i].text, text))
			return punctuators[i].token;
	return text[1] ? TOK_STRAY : (unsigned char)text[0];
}

static void report_stray(struct parse *parse, struct token token)
{
	unsigned char byte = (unsigned char)token.text[0];
	parse->stray_line = token.location.line;
	if (byte >= 0x80)
		diag_error(parse->diag, token.location, "characters other than ASCII may stand in "
			"comments only");
	else if (byte == '"' || byte == '\'')
		diag_error(parse->diag, token.location, "%c has no partner on this line", byte);
	else if (byte < 0x20 || byte == 0x7f)
		diag_error(parse->diag, token.location, "a byte of value %d is not C", byte);
	else
		diag_error(parse->diag, token.location, "'%s' is not expected here", token.text);
}

static int grammar_token(struct parse *parse, struct token token, YYSTYPE *value)
{
	switch (token.kind) {
	case TOKEN_NAME:
		return name_token(parse, token, value);
	case TOKEN_NUMBER:
		return TOK_NUMBER;
	case TOKEN_STRING:
		return TOK_STRING;
	case TOKEN_REST:
		return TOK_PRAGMA;
	case TOKEN_PUNCTUATOR:
		return punctuator_token(token.text);
	default:
		return TOK_END;
	}
}

int yylex(YYSTYPE *value, YYLTYPE *location, struct parse *parse)
{
	struct token token = next_token(parse);
	while (token.kind == TOKEN_STRAY || (token.kind == TOKEN_PUNCTUATOR && token.text[0] == '#')) {
		report_stray(parse, token);
		token = next_token(parse);
	}
	parse->previous = parse->last;
	parse->last = *location = token.location;
	value->text = token.text;
	parse->last_token = grammar_token(parse, token, value);
	return parse->last_token;
}

struct ast_file *parse_file(struct arena *arena, struct diag *diag,
	struct preprocessor *preprocessor)
{
	struct parse parse = { .arena = arena, .diag = diag, .preprocessor = preprocessor };
	parse.file = ARENA_NEW(arena, struct ast_file);
	yyparse(&parse);
	return parse.file;
}
