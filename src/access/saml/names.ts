/** Namespaces of SAML 2.0, of XML signatures and of XML encryption. */
export const NAMESPACE = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
} as const

/** The bindings that transport a message. */
export const BINDING = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
} as const

export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'

/** The algorithms by which Postern signs; it accepts further ones. */
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
export const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
export const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
