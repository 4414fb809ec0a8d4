"""EFF: call-by-push-value with effects and handlers (Sigal 2024, ch. 7), the language of ``%%eff`` cells."""
