import { ApiError } from '../../core/errors.ts'

/** Why an answer of a SAML identity provider is refused; the audit log has it, the browser has the code alone. */
type SamlReason =
  | 'not_base64'
  | 'not_xml'
  | 'not_a_response'
  | 'denied'
  | 'encryption_shape'
  | 'unsigned_encryption'
  | 'decryption'
  | 'many_assertions'
  | 'duplicate_id'
  | 'unsigned'
  | 'signature_place'
  | 'weak_algorithm'
  | 'signature'
  | 'issuer'
  | 'destination'
  | 'audience'
  | 'subject_confirmation'
  | 'request'
  | 'conditions'
  | 'not_yet'
  | 'expired'
  | 'no_authentication'
  | 'no_key'

export const refused = (reason: SamlReason) => new ApiError('UNAUTHORIZED', { reason })
