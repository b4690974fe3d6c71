/// The encoded values of one object, without a record header.
struct EncodedValues {
    var bytes: [UInt8] = []
    /// Large values, in the order in which they were encoded.
    var largeValues: [LargeValue] = []
}
