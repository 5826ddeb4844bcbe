// The vendor's own library, a version that others still build on.
import OpenAI from 'openai5';
import { zodResponseFormat } from 'openai5/helpers/zod';
import { bind } from './vendor.mjs';

export const { open, failure } = bind(OpenAI, zodResponseFormat);
