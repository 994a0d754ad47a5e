import { ConfigError } from '../config/config.ts'
import { fullDiskMessage, fullDiskSentence } from '../core/disk.ts'
import { ApiError } from '../core/errors.ts'
import { BusyError } from '../db/engine/engine.ts'

/** Members of errors of the system and of both engines. */
interface SystemError extends Error {
  code?: string
  syscall?: string
  address?: string
  port?: number
  path?: string
  /** The setting with the folder of `path`; by default `DATA_DIR`. */
  setting?: string
  errors?: SystemError[]
}

/** Sentences with the next step, by the code of an error. */
const BY_CODE: Record<string, (error: SystemError) => string> = {
  EADDRINUSE: ({ address, port }) =>
    `Something already listens on ${address}:${port}. Stop it, or set another PORT.`,
  EADDRNOTAVAIL: ({ address }) => `This machine has no address ${address}. Set another HOST.`,
  EACCES: refused,
  EPERM: refused,
  EROFS: refused,
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  '53100': ({ message }) => `The disk of PostgreSQL is full (${message}). Make room on it.`,
  ECONNREFUSED: unreachable,
  ENOTFOUND: unreachable,
  ETIMEDOUT: unreachable,
  EAI_AGAIN: unreachable,
  NETWORK: noServer,
  TIMEOUT: noServer,
  UNEXPECTED_ANSWER: ({ message }) => `${message} Name the address of Postern by --url or POSTERN_URL.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: unvouched,
  SELF_SIGNED_CERT_IN_CHAIN: unvouched,
  UNABLE_TO_GET_ISSUER_CERT: unvouched,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unvouched,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unvouched,
  CERT_HAS_EXPIRED: () => 'The certificate of PostgreSQL has expired. Renew it there.',
  ERR_TLS_CERT_ALTNAME_INVALID: ({ message }) =>
    `The certificate of PostgreSQL is for another name (${message}). Write that name into DATABASE_URL.`,
  '08P01': ({ message }) =>
    `What DATABASE_URL leads to refuses it (${message}). A pooler takes no "options" or other parameters of PostgreSQL: leave them out.`,
  '28P01': ({ message }) => `PostgreSQL refuses the password (${message}). Check DATABASE_URL.`,
  '28000': ({ message }) => `PostgreSQL refuses this user (${message}). Check DATABASE_URL.`,
  '3D000': ({ message }) => `PostgreSQL has no such database (${message}). Create it, or check DATABASE_URL.`,
}

/** The settings that the sentences name for PostgreSQL. */
const OF_SETTINGS = /DATABASE_URL( \(and DATABASE_DIRECT_URL, if it is set\))?/g

/** Sentences by the message of an error without a code. */
const BY_MESSAGE: Record<string, () => string> = {
  'The server does not support SSL connections': () =>
    'DATABASE_URL asks for TLS (sslmode), and that PostgreSQL speaks none. Turn ssl on there, or leave sslmode out where the way to it is yours alone.',
}

function unvouched({ message }: SystemError): string {
  return `DATABASE_URL leads to a PostgreSQL whose certificate this machine does not trust (${message}). Add the file of its authority to the URL: sslrootcert=/path/to/ca.pem.`
}

function refused({ syscall, path, setting = 'DATA_DIR', address, port, message }: SystemError): string {
  if (syscall === 'listen') return `This user may not listen on ${address}:${port}. Set a PORT above 1023.`
  return `This user may not write ${path ?? message}. Give it the right, or set another ${setting}.`
}

function full({ path, setting, message }: SystemError): string {
  if (path === undefined) return `The disk is full (${message}). Make room on it.`
  return setting === undefined
    ? `${fullDiskSentence(path)} Make room on it.`
    : fullDiskMessage(path, `set another ${setting}`)
}

function unreachable({ code, address, port, message }: SystemError): string {
  const where = address === undefined ? message : `${code} ${address}:${port}`
  return `PostgreSQL cannot be reached (${where}). Check DATABASE_URL (and DATABASE_DIRECT_URL, if it is set), and whether it runs.`
}

/** The sentence for a command whose server does not answer. */
function noServer({ message }: SystemError): string {
  return `${message} Start Postern there, or name another server by --url or POSTERN_URL.`
}

/**
 * An error as the lines that a person in front of the terminal needs: short, exact, no stack.
 * @param setting that names the PostgreSQL which was asked
 */
export function explainFailure(thrown: unknown, setting = 'DATABASE_URL'): string[] {
  if (thrown instanceof ConfigError) {
    return ['These settings must be changed:', ...thrown.problems.map((line) => `  - ${line}`)]
  }
  if (thrown instanceof ApiError) {
    const { code, message, details } = thrown
    const { field, reason } = details as { field?: string; reason?: string }
    return [`${message} (${[code, field, reason].filter(Boolean).join(', ')})`]
  }
  const error = first((thrown instanceof BusyError ? (thrown.cause ?? thrown) : thrown) as SystemError)
  const say = BY_CODE[error.code ?? ''] ?? BY_MESSAGE[error.message]
  const words = say?.(error) ?? (error.message || String(thrown))
  return [setting === 'DATABASE_URL' ? words : words.replaceAll(OF_SETTINGS, setting)]
}

/** The first of the errors of a name with several addresses. */
function first(error: SystemError): SystemError {
  return error.errors?.[0] ?? error
}
