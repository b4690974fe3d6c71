public import FoundationEssentials

/// The number of elements in each section of a list.
///
/// Elements are numbered consecutively across all sections.
struct ListLayout: Equatable {
    /// Maximum number of sections that a list shows.
    static let maximumSectionCount = 1 << 16
    /// Maximum number of elements that a list shows.
    static let maximumElementCount = 1 << 24

    /// The number of the first element in each section, followed by the total number of elements.
    private var sectionStarts = [0]

    /// Creates a layout without sections.
    init() {}

    /// Creates a layout from the number of elements in each section.
    ///
    /// Elements and sections beyond the maximum are ignored.
    init(elementCounts: some Sequence<Int>) {
        for elementCount in elementCounts.prefix(Self.maximumSectionCount) {
            sectionStarts.append(
                count + min(max(elementCount, 0), Self.maximumElementCount - count))
        }
    }

    /// Total number of elements.
    var count: Int { sectionStarts[sectionStarts.count - 1] }

    /// Number of elements in each section.
    var elementCounts: [Int] { zip(sectionStarts.dropFirst(), sectionStarts).map { $0 - $1 } }

    /// Returns whether an element exists at an index path.
    ///
    /// The index path can have any number of components.
    func contains(_ indexPath: IndexPath) -> Bool { number(of: indexPath) != nil }

    /// Returns the number of an element across all sections, or `nil` if the element does not exist.
    func number(of indexPath: IndexPath) -> Int? {
        guard indexPath.count == 2, indexPath.section >= 0,
            indexPath.section < sectionStarts.count - 1
        else { return nil }
        let start = sectionStarts[indexPath.section]
        let end = sectionStarts[indexPath.section + 1]
        guard indexPath.row >= 0, indexPath.row < end - start else { return nil }
        return start + indexPath.row
    }

    /// Returns the index path of an element, or `nil` if there is no element with that number.
    func indexPath(of number: Int) -> IndexPath? {
        guard number >= 0, number < count else { return nil }
        // The element is in the last section whose first number is not greater than the element's number.
        let section = sectionStarts.indices.partitioningIndex { sectionStarts[$0] > number } - 1
        return IndexPath(row: number - sectionStarts[section], section: section)
    }
}

extension IndexPath {
    /// Creates an index path from a row and a section, both zero-based.
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    /// Creates an index path from an item and a section, both zero-based.
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// The section index.
    ///
    /// Traps if the index path is empty.
    public var section: Int { self[0] }

    /// The index of the row in its section.
    ///
    /// Traps if the index path has fewer than two components.
    public var row: Int { self[1] }

    /// The index of the item in its section, like ``row``.
    public var item: Int { self[1] }
}
