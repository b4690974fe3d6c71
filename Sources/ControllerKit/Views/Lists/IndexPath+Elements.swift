public import FoundationEssentials

extension IndexPath {
    /// The place of a row: its number in a section, and the section's number, both counted from 0.
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    /// The place of an item: its number in a section, and the section's number, both counted from 0.
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// The section's number. Of an index path of less than two components there is none: that traps.
    public var section: Int { self[0] }

    /// The row's number in its section. Of an index path of less than two components there is none:
    /// that traps.
    public var row: Int { self[1] }

    /// The item's number in its section, as ``row``.
    public var item: Int { self[1] }
}
