import type { ApiDocument, Parameter, Schema } from './document.ts'
import { type Method, methodsOf } from './generate.ts'
import {
  annotation,
  declarations,
  docstring,
  events,
  pascal,
  pythonName,
  type Shapes,
  shapesOf,
  snake,
  union,
  WITH_ACRONYMS,
} from './python-types.ts'
import { nameOf } from './types.ts'

const HEADER = '# Written by `npm run docs` from /openapi.json and sdk/methods.ts; a test compares them.'

const WIDTH = 110

/** Names of the options of each call, and of what a method has for itself: an argument of that name gets a `_`. */
const TAKEN = new Set(
  'self t options organization idempotency_key timeout deadline max_retries extra_headers last_event_id on_state content content_type'.split(
    ' ',
  ),
)

/** Names of Python's `types.py` that no shape may have. */
const OUR_CLASSES = ['ApiBody', 'ApiModel', 'CustomEvent', 'WebhookEvent', 'EVENTS', 'Any', 'Literal']

/** An argument of a method. */
interface Argument {
  name: string
  wire: string
  type: string
  /** Undefined where it must be given. */
  standard: string | undefined
  about: string | undefined
}

/** The generated files of `sdk-python/src/postern_sdk`, whole, by their names. */
export function generatePython(document: ApiDocument): Record<string, string> {
  const shapes = shapesOf(document)
  const clashing = OUR_CLASSES.find((name) => document.components.schemas[name] !== undefined)
  if (clashing !== undefined)
    throw new Error(`The document has a shape ${clashing}, as the client in Python.`)
  const methods = methodsOf(document)
  return {
    '_words.py': wordsOf(document),
    'types.py': typesOf(shapes),
    '_methods.py': methodsFile(shapes, methods, false),
    '_async_methods.py': methodsFile(shapes, methods, true),
  }
}

function wordsOf({ components }: ApiDocument): string {
  const codes = (components.schemas.ErrorCode?.enum ?? []) as string[]
  return `${HEADER}

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

ErrorCode: TypeAlias = Literal[
${codes.map((code) => `    "${code}",`).join('\n')}
]
"""The codes of the catalogue."""

# Names of the wire that do not follow from those of Python.
WIRE_NAMES = {
${Object.entries(WITH_ACRONYMS)
  .map(([wire, name]) => `    "${name}": "${wire}",`)
  .join('\n')}
}
`
}

function typesOf(shapes: Shapes): string {
  return `${HEADER}
"""The shapes of the API: what it takes and gives, and the events of webhooks."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Union

from ._models import ApiBody, ApiModel, CustomEvent

if TYPE_CHECKING:
    from typing_extensions import TypeAlias


${declarations(shapes).join('\n\n\n')}


${events(shapes)}
`
}

function methodsFile(shapes: Shapes, methods: Method[], isAsync: boolean): string {
  const resources = Map.groupBy(methods, ({ resource }) => resource)
  const prefix = isAsync ? 'Async' : ''
  const transport = `${prefix}Transport`
  const classes = [...resources].flatMap(([resource, own]) =>
    resource === undefined
      ? []
      : [
          `class ${prefix}${pascal(resource)}:\n    """The methods of \`${snake(resource)}\`."""\n\n    def __init__(self, transport: ${transport}) -> None:\n        self._transport = transport\n\n${own.map((one) => methodOf(shapes, one, isAsync)).join('\n\n')}`,
        ],
  )
  const names = [...resources.keys()].filter((name) => name !== undefined)
  const others = resources.get(undefined) ?? []
  const root = `class ${prefix}Methods:
    """The methods of a client, by what they are about."""

    def __init__(self, transport: ${transport}) -> None:
        self._transport = transport
${names.map((name) => `        self.${snake(name)} = ${prefix}${pascal(name)}(transport)`).join('\n')}

${others.map((one) => methodOf(shapes, one, isAsync)).join('\n\n')}`
  const text = [...classes, root].join('\n\n\n')
  const used = 'Any Literal Mapping Sequence cast overload'
    .split(' ')
    .filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  return `${HEADER}

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ${used.join(', ')}

from . import types as t
from ._call import OMIT, CallOptions, ${isAsync ? 'AsyncContent as Content' : 'Content'}, Omit, StreamOptions, make_call

if TYPE_CHECKING:
    import httpx
    from typing_extensions import Unpack

    from ._${isAsync ? 'async_' : ''}answers import ${['Download', 'EventStream', 'Pages'].map((name) => prefix + name).join(', ')}
    from ._${isAsync ? 'async' : 'sync'} import ${transport}


${text}
`
}

function methodOf(shapes: Shapes, method: Method, isAsync: boolean): string {
  const { operation, shape } = method
  const { gives, answers } = shape
  const types = [...new Set(answers.map((one) => answerType(shapes, one, gives === 'page')))]
  const [tried, done, ...others] = types
  if (tried === undefined || done === undefined) return definition(shapes, method, isAsync, types)
  // What is only tried answers with something of its own, with 200 before the 201 or 202 of what is done.
  const dryRun = argumentsOf(shapes, method).find(({ wire }) => wire === 'dryRun')
  if (dryRun === undefined || others.length > 0)
    throw new Error(`${operation.operationId} answers in several shapes, and nothing says in which.`)
  const stub = (type: string, standard: string | undefined, answer: string) =>
    `    @overload\n    ${head(shapes, method, isAsync, answer, { ...dryRun, type, standard })} ...`
  return [
    stub(dryRun.type.replace('bool', 'Literal[False]'), dryRun.standard, done),
    stub('Literal[True]', undefined, tried),
    definition(shapes, method, isAsync, types),
  ].join('\n\n')
}

function definition(shapes: Shapes, method: Method, isAsync: boolean, types: string[]): string {
  const { operation, shape } = method
  const { gives } = shape
  const answer = union([...new Set(types)])
  const prefix = isAsync ? 'Async' : ''
  const wait = isAsync ? 'await ' : ''
  const isBytes = Object.values(operation.responses).some(
    ({ content = {} }) => 'application/octet-stream' in content,
  )
  const give = {
    stream: [`${prefix}EventStream`, '', 'stream(call)'],
    page: [`${prefix}Pages[${answer}]`, '', `pages(call, ${answer})`],
    response: isBytes
      ? [`${prefix}Download`, wait, 'download(call)']
      : ['httpx.Response', wait, 'response(call)'],
    json: types.length === 0 ? ['None', wait, 'nothing(call)'] : [answer, wait, jsonOf(types)],
  }[gives] as [string, string, string]
  const [returns, waits, does] = give
  // What is no class of its own is no `type` to a type checker.
  const needsCast =
    gives === 'json' && (/ \| /.test(answer) || (answer.startsWith('t.') && !isClass(shapes, answer)))
  const sent = `${waits}self._transport.${does}`
  const result = needsCast ? `cast("${answer}", ${sent})` : sent
  const args = argumentsOf(shapes, method)
  const text = [operation.summary, operation.description]
    .flatMap((one) => one?.replace(/\.$/, '') ?? [])
    .join('. ')
  const about = args.flatMap((one) => (one.about === undefined ? [] : [`${one.name}: ${one.about}`]))
  return [
    `    ${head(shapes, method, isAsync && waits !== '', returns)}`,
    docstring(`${text}. (\`${operation.method} ${operation.path}\`)`, '        ', about),
    `${callOf(method, args)}`,
    // What answers nothing has nothing to return.
    does === 'nothing(call)' ? `        ${sent}` : `        return ${result}`,
  ].join('\n')
}

const isClass = (shapes: Shapes, type: string) => shapes.classes.has(type.replace(/^t\./, ''))

function jsonOf([first = '', second]: string[]): string {
  return `json(call, ${second === undefined ? first : `${first} if dry_run is True else ${second}`})`
}

function answerType(shapes: Shapes, schema: Schema, isPage: boolean): string {
  const name = (shape: string) => `t.${shape}`
  if (!isPage) return annotation(shapes, schema, 'answer', name)
  const page = shapes.document.components.schemas[nameOf(schema.$ref ?? '')]
  return annotation(shapes, page?.properties?.data?.items ?? {}, 'answer', name)
}

function head(shapes: Shapes, method: Method, isAsync: boolean, returns: string, instead?: Argument): string {
  const { name, operation, shape } = method
  const args = argumentsOf(shapes, method).map((one) => (one.name === instead?.name ? instead : one))
  const path = placesOf(operation.path).map((place) => `${pythonName(place)}: str`)
  const named = [
    ...args.filter((one) => one.standard === undefined),
    ...args.filter((one) => one.standard !== undefined),
  ]
  const listed = [
    'self',
    ...path,
    ...(shape.isBodyBytes ? ['content: Content'] : []),
    ...(named.length > 0 || shape.isBodyBytes ? ['*'] : []),
    ...named.map(
      ({ name, type, standard }) => `${name}: ${type}${standard === undefined ? '' : ` = ${standard}`}`,
    ),
    ...(shape.isBodyBytes ? ['content_type: str | None = None'] : []),
    `**options: Unpack[${shape.gives === 'stream' ? 'StreamOptions' : 'CallOptions'}]`,
  ]
  const start = `${isAsync ? 'async ' : ''}def ${pythonName(name)}`
  const line = `${start}(${listed.join(', ')}) -> ${returns}:`
  if (line.length <= 106) return line
  return `${start}(\n${listed.map((one) => `        ${one},`).join('\n')}\n    ) -> ${returns}:`
}

const placesOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place)

function argumentsOf(shapes: Shapes, { operation, shape }: Method): Argument[] {
  const taken = new Set([...TAKEN, ...placesOf(operation.path).map(snake)])
  const query = shape.query.map((one) => ofQuery(shapes, one, taken))
  const all = [...bodyOf(shapes, shape.body, taken), ...query]
  const double = all.find(({ name }, at) => all.findIndex((one) => one.name === name) !== at)
  if (double !== undefined)
    throw new Error(`${operation.operationId} takes ${double.name} twice: in its body and in its query.`)
  return all
}

function ofQuery(shapes: Shapes, parameter: Parameter, taken: Set<string>): Argument {
  const { name, description, schema, required } = parameter
  const type = asInput(
    annotation(shapes, schema, 'body', (shape) => `t.${shape}`),
    shapes,
  )
  return {
    name: pythonName(name, taken),
    wire: name,
    type: required ? type : union([type, 'None']),
    standard: required ? undefined : 'None',
    about: description ?? schema.description,
  }
}

function bodyOf(shapes: Shapes, body: Schema | undefined, taken: Set<string>): Argument[] {
  if (body === undefined) return []
  const { properties = {}, required = [] } = shapes.document.components.schemas[nameOf(bodyName(body))] ?? {}
  return Object.entries(properties).map(([wire, schema]) => {
    const type = asInput(
      annotation(shapes, schema, 'body', (shape) => `t.${shape}`),
      shapes,
    )
    const isRequired = required.includes(wire)
    return {
      name: pythonName(wire, taken),
      wire,
      type: isRequired ? type : `${type} | Omit`,
      standard: isRequired ? undefined : 'OMIT',
      about: schema.description,
    }
  })
}

/** @throws Error for a body that is no object with a name: its members could not be arguments */
function bodyName({ $ref, anyOf }: Schema): string {
  const name = $ref ?? anyOf?.find((one) => one.$ref !== undefined)?.$ref
  if (name === undefined) throw new Error('A body has no shape with a name.')
  return name
}

/** What a caller may give for a type: any sequence and mapping, a shape also as a mapping, a moment also as text. */
function asInput(type: string, { classes }: Shapes): string {
  const written = type
    .replace(/\blist\[/g, 'Sequence[')
    .replace(/\bdict\[/g, 'Mapping[')
    .replace(/\bdatetime\b/g, 'datetime | str')
  return written.replace(/\bt\.(\w+)/g, (whole, shape: string) =>
    classes.has(shape) ? `${whole} | Mapping[str, Any]` : whole,
  )
}

function callOf({ operation, shape }: Method, args: Argument[]): string {
  const { method, path } = operation
  const places = placesOf(path).map((place) => [place, pythonName(place)] as const)
  const isOfQuery = ({ wire }: Argument) => shape.query.some(({ name }) => name === wire)
  const pairs = (some: Argument[]) => some.map(({ name, wire }) => [wire, name] as const)
  const query = args.filter((one) => isOfQuery(one))
  const body = args.filter((one) => !isOfQuery(one))
  const bodyType = shape.body === undefined ? undefined : `t.${nameOf(bodyName(shape.body))}`
  const listed = [
    `"${method}"`,
    `"${path}"`,
    'options',
    ...(places.length > 0 ? [`places=${dictionary(places)}`] : []),
    ...(query.length > 0 ? [`query=${dictionary(pairs(query))}`] : []),
    ...(bodyType === undefined ? [] : [`body_type=${bodyType}`, `body=${dictionary(pairs(body))}`]),
    ...(shape.isBodyBytes ? ['content=content', 'content_type=content_type'] : []),
    ...(bodyType !== undefined && shape.isInputOptional ? ['may_lack_body=True'] : []),
    ...(operation['x-idempotency-key'] === true ? ['once=True'] : []),
  ]
  const line = `        call = make_call(${listed.join(', ')})`
  if (line.length <= WIDTH && !line.includes('\n')) return line
  return `        call = make_call(\n${listed.map((one) => `            ${one},`).join('\n')}\n        )`
}

/** A dictionary, with a line for each member where it is long. */
function dictionary(pairs: (readonly [string, string])[]): string {
  const members = pairs.map(([name, value]) => `"${name}": ${value}`)
  const line = `{${members.join(', ')}}`
  if (line.length <= 80) return line
  return `{\n${members.map((one) => `                ${one},`).join('\n')}\n            }`
}
