public import FoundationEssentials

/// How many elements the sections of a list have. Elements are numbered through all sections.
struct ListLayout: Equatable {
    /// The most sections that a list shows.
    static let mostSections = 1 << 16
    /// The most elements that a list shows.
    static let mostElements = 1 << 24

    /// The number of each section's first element, and behind them how many there are in all.
    private var starts = [0]

    /// No sections.
    init() {}

    /// Sections with as many elements, not below 0; what exceeds the most is not shown.
    init(counts: some Sequence<Int>) {
        for elements in counts.prefix(Self.mostSections) {
            starts.append(count + min(max(elements, 0), Self.mostElements - count))
        }
    }

    /// How many elements there are in all.
    var count: Int { starts[starts.count - 1] }

    /// How many elements each section has.
    var counts: [Int] { zip(starts.dropFirst(), starts).map { $0 - $1 } }

    /// Whether there is an element at an index path, whatever that is.
    func contains(_ indexPath: IndexPath) -> Bool { number(of: indexPath) != nil }

    /// The number of an element through all sections; nil if there is none.
    func number(of indexPath: IndexPath) -> Int? {
        guard indexPath.count == 2, indexPath.section >= 0, indexPath.section < starts.count - 1
        else { return nil }
        let start = starts[indexPath.section]
        let end = starts[indexPath.section + 1]
        guard indexPath.row >= 0, indexPath.row < end - start else { return nil }
        return start + indexPath.row
    }

    /// Where the element of a number is; nil if there is none.
    func indexPath(of number: Int) -> IndexPath? {
        guard number >= 0, number < count else { return nil }
        // The last section that begins at the number or before it is the one that holds it.
        let section = starts.indices.partitioningIndex { starts[$0] > number } - 1
        return IndexPath(row: number - starts[section], section: section)
    }
}

extension IndexPath {
    /// The place of a row: its number in a section, and the section's number, both counted from 0.
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    /// The place of an item: its number in a section, and the section's number, both counted from
    /// 0.
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// The section's number. Traps if the index path has less than two components.
    public var section: Int { self[0] }

    /// The row's number in its section. Traps if the index path has less than two components.
    public var row: Int { self[1] }

    /// The item's number in its section, as ``row``.
    public var item: Int { self[1] }
}
