"""``%flow train …``: the sizes of values, cotangents and changes in a net, recorded while it is trained."""
