import { optional, secretKey } from './values.ts'

/** What `OPERATOR_VARIABLES` say. */
export interface OperatorTokens {
  metricsToken: string | undefined
  /** undefined: there is no operator API. */
  operatorToken: string | undefined
}

/** By which whoever runs the server is known over HTTP. */
export const OPERATOR_VARIABLES = {
  METRICS_TOKEN: {
    default: '',
    about:
      'Bearer token for `/metrics`. Default: only this machine may read it, and only where `BASE_URL` is of this machine and no proxy is trusted.',
    read: optional,
  },
  OPERATOR_TOKEN: {
    default: '',
    about:
      'Bearer token for `/v1/operator/…`, 32 bytes or more: all organizations, their plans and credits. Default: there is no such path.',
    read: secretKey,
  },
} as const
