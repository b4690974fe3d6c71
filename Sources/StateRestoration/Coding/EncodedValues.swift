/// The encoded values of one object, without a record header.
struct EncodedValues {
    /// Encoded values, each preceded by its key.
    var bytes: [UInt8] = []
    /// Large values, in the order in which they were encoded.
    var largeValues: [LargeValue] = []
}
