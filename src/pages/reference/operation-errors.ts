import { ERROR_CODES, type ErrorCode } from '../../core/errors.ts'
import { type Document, type Placed, resolve, type Schema } from './document.ts'

/** The parts of an operation that decide its errors. */
interface Asked {
  operation: Placed
  /** Schemas of its parameters and of its body, at every depth. */
  inputs: Schema[]
  /** Whether a body or a parameter of the query is required. */
  isAnyRequired: boolean
}

const EVENTS_FROM_OUTSIDE = ['callWebhook', 'receiveStripeEvent']
const READS_FILES = ['readFileText', 'processFile', 'addDocument', 'indexDocument']
const SIGNS_IN = [
  ...['signInWithEmail', 'signInWithMagicLink', 'signInWithProvider', 'signInWithPasskey'],
  ...['readPendingSignIn', 'startPasskeyFactor', 'signInWithSecondFactor'],
]
/** Operations that authenticate by the cookie of a setup link. */
const BY_SETUP_LINK = [
  ...['readSetup', 'checkSetupDomain', 'changeSetupProvider', 'testSetupProvider'],
  ...['createSetupDirectoryKey', 'finishSetup'],
]
const INDEXES = ['addDocument', 'indexDocument']
const USES_TOKEN = ['refreshConnection', 'fetchThroughConnection']
const ASKS_PROVIDER = [...USES_TOKEN, 'authorizeConnection', 'createCheckout']

/** Errors of the work of an operation, beside those of `RULES`. `test/pages/operation-errors.test.ts` finds a test of each. */
export const OWN_ERRORS: Partial<Record<ErrorCode, string[]>> = {
  UNAUTHORIZED: [...EVENTS_FROM_OUTSIDE, ...SIGNS_IN, ...BY_SETUP_LINK],
  FORBIDDEN: ['streamOrganization', 'createToken'],
  INTEGRATION_EXPIRED: USES_TOKEN,
  INTEGRATION_REVOKED: USES_TOKEN,
  VALIDATION_FAILED: ['openCaptureWindow', 'callWebhook', 'receiveStripeEvent'],
  ENTITY_NOT_FOUND: [
    ...['previewInvitation', 'receiveStripeEvent', 'startRun', 'addDocument', 'createConversation'],
    ...['createMcpServer', 'publishEvent', 'publishEvents', 'createReplay', 'createOrganizationReplay'],
    ...['readDeviceRequest', 'decideDeviceRequest', 'openSetup', 'testSetupProvider'],
  ],
  CONVERSATION_NOT_FOUND: ['readConversation', 'deleteConversation', 'listMessages', 'startRun'],
  DUPLICATE: [
    ...['updateWebhook', 'updateMcpServer', 'updateKnowledgeBase', 'decideApproval', 'renameOrganization'],
    ...['changeOrganization', 'checkSetupDomain'],
  ],
  INSUFFICIENT_CREDITS: [
    ...['uploadFile', 'fetchFile', 'processFile', 'addDocument', 'indexDocument', 'fetchThroughConnection'],
  ],
  INTEGRATION_RATE_LIMIT: ASKS_PROVIDER,
  INTEGRATION_PROVIDER_ERROR: [...ASKS_PROVIDER, 'signInWithProvider'],
  INDEXING_FAILED: INDEXES,
  PARSE_FAILED: READS_FILES,
  XLSX_TIMEOUT: READS_FILES,
  XLSX_CORRUPTED: READS_FILES,
  FETCH_FAILED: ['fetchFile'],
  MCP_CLIENT_UNAVAILABLE: ['refreshMcpServer'],
}

const isOf = (access: string[], { operation }: Asked) => access.includes(operation['x-access'] ?? '')
const hasFormat = ({ inputs }: Asked, asked: (format: string) => boolean) =>
  inputs.some(({ format = '' }) => asked(format))

/** Errors that follow from access, module, path, parameters and body of an operation. */
const RULES: Partial<Record<ErrorCode, (asked: Asked) => boolean>> = {
  UNAUTHORIZED: (asked) => !isOf(['public'], asked),
  FORBIDDEN: (asked) => {
    const { method, operationId } = asked.operation
    // Requests of other sites' pages are refused except for reads.
    const isGuarded = method !== 'GET' && !EVENTS_FROM_OUTSIDE.includes(operationId)
    return isGuarded || asked.operation['x-scope'] !== undefined
  },
  MODULE_NOT_ENABLED: ({ operation }) => operation['x-module'] !== undefined,
  VALIDATION_FAILED: ({ inputs, operation }) => inputs.length > 0 || operation['x-idempotency-key'] === true,
  INVALID_EMAIL: (asked) => hasFormat(asked, (format) => format === 'email'),
  INVALID_UUID: (asked) => hasFormat(asked, (format) => format.endsWith('-id')),
  TYPE_MISMATCH: ({ operation, inputs }) =>
    operation.requestBody !== undefined ||
    inputs.some(({ type }) => ['integer', 'number', 'boolean'].includes(String(type))),
  MISSING_REQUIRED_FIELD: ({ isAnyRequired }) => isAnyRequired,
  ENTITY_NOT_FOUND: ({ operation }) =>
    operation['x-access'] === 'installation' ||
    (operation.path.includes('{') &&
      OWN_ERRORS.CONVERSATION_NOT_FOUND?.includes(operation.operationId) !== true),
  DUPLICATE: ({ operation }) => operation['x-idempotency-key'] === true,
  RATE_LIMITED: (asked) => !isOf(['operator'], asked),
  PROCESSING_FAILED: () => true,
}

/** The errors that an operation may answer with, in the order of the catalogue. */
export function errorsOf(operation: Placed, document: Document): ErrorCode[] {
  const asked = askedOf(operation, document)
  return ERROR_CODES.filter(
    (code) => RULES[code]?.(asked) === true || OWN_ERRORS[code]?.includes(operation.operationId) === true,
  )
}

function askedOf(operation: Placed, document: Document): Asked {
  const { parameters = [], requestBody } = operation
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema = {} }) => schema)
  const given = [...parameters.map(({ schema = {} }) => schema), ...bodies]
  const inputs = given.flatMap((schema) => schemasIn(schema, document))
  const isAnyRequired =
    parameters.some(({ in: place, required }) => place === 'query' && required === true) ||
    bodies.some((body) => schemasIn(body, document).some(({ required = [] }) => required.length > 0))
  return { operation, inputs, isAnyRequired }
}

/** A schema and all schemas in it; a recursive one is followed once. */
function schemasIn(given: Schema, document: Document, around: string[] = []): Schema[] {
  const name = given.$ref ?? ''
  if (name !== '' && around.includes(name)) return []
  const schema = resolve(given, document)
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ]
  return [schema, ...inner.flatMap((one) => schemasIn(one, document, [...around, name]))]
}
