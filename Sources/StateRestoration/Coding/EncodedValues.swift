/// The values of one object as an encoder wrote them, and nothing else.
struct EncodedValues {
    var bytes: [UInt8] = []
    /// The large ones among them, in their order.
    var outOfLine: [OutOfLineValue] = []

    /// No values.
    init() {}

    /// The values of the only object that an encoder was given.
    init(_ encoder: StateEncoder) {
        bytes = encoder.bytes
        outOfLine = encoder.outOfLine
    }
}
