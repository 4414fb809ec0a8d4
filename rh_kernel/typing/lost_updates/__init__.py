"""Lost updates: a location is used several times, and each time a content read on the way forward is put back."""
