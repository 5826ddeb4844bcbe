// What the clients of the vendors' own protocols share.
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const toolNames = ['get_weather', 'get_time'];
export const toolSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
export const toolResults = { get_weather: 'rain', get_time: 'noon' };
