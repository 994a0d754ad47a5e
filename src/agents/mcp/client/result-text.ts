import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** A run is taken whole and measured afterwards: asked for a length, each of its places would be a beginning. */
const RUN = /[A-Za-z0-9+/_-]+={0,2}/g
/** So many characters of the alphabet of base64 in a row no prose has. */
const LONG = 1_024

/** What a tool answered, as a text for a model: bytes are named, and left out. */
export function toText({ content, structuredContent }: CallToolResult): string {
  const texts = content.map(textOf)
  const isBare = content.length === 0 && structuredContent !== undefined
  const text = isBare ? JSON.stringify(structuredContent) : texts.join('\n')
  return text.replace(RUN, (run) =>
    run.length < LONG ? run : `[${run.length} characters of base64 are left out]`,
  )
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'image' || block.type === 'audio')
    return `[${block.type}, ${block.mimeType}, ${block.data.length} characters of base64 are left out]`
  if (block.type === 'resource_link') return `[resource ${block.name}: ${block.uri}]`
  const { resource } = block
  return 'text' in resource ? resource.text : `[resource ${resource.uri}, its bytes are left out]`
}
