/// MESSAGE_IDs of the records that a reload writes to the journal.
enum MessageID {
    private static let common = "5f2c1d1f3f9e4a0c9d6a0f6a51b0c1"
    static let launched = common + "01"
    static let restored = common + "02"
    static let generationCreated = common + "0b"
    static let scenesReloaded = common + "17"
    static let reloadStarted = common + "30"
    static let reloaded = common + "31"
    static let refused = common + "33"
    static let starting = common + "38"
    static let failed = common + "39"
}

/// Returns the value of a field that occurs once in a record. The value must not contain characters that JSON escapes.
func field(_ name: String, of record: Substring) -> String? {
    guard let range = record.firstRange(of: "\"\(name)\":\"") else { return nil }
    return record[range.upperBound...].split(
        separator: "\"", maxSplits: 1, omittingEmptySubsequences: false
    ).first.map(String.init)
}
