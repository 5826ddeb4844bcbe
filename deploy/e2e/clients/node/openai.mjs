// The vendor's own library, the version that is current.
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { bind } from './vendor.mjs';

export const { open, failure } = bind(OpenAI, zodResponseFormat);
