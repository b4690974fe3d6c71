import ExactText
public import FoundationEssentials

/// The pages that a web view has visited, oldest first, with the index of the current page.
public struct WebHistory: Sendable, Hashable {
    /// Maximum number of pages.
    ///
    /// If there are more pages, the oldest pages are removed.
    public static let maximumEntries = 100
    /// Maximum length of a URL in bytes.
    public static let maximumAddressBytes = 4096
    /// Maximum length of a title in characters.
    public static let maximumTitleLength = 200

    /// A page that a web view has visited.
    public struct Entry: Codable, Sendable, Hashable {
        /// The URL of the page.
        public let url: URL
        /// The title that the page had when it was last shown.
        public internal(set) var title: String
        /// The scroll offset of the page.
        public internal(set) var contentOffset: Point
        /// The zoom scale of the page.
        public internal(set) var zoomScale: Double
    }

    /// The pages, oldest first.
    public private(set) var entries: [Entry] = []
    /// The zero-based index of the current page, or `nil` if there are no pages.
    public private(set) var currentIndex: Int?

    /// Creates an empty history.
    init() {}

    /// Creates a history from saved pages.
    ///
    /// Pages without a valid URL are omitted, and other invalid values are corrected.
    init(entries: [Entry], currentIndex: Int?) {
        let clampedIndex = min(max(currentIndex ?? 0, 0), max(0, entries.count - 1))
        for (index, entry) in entries.enumerated() where Self.isAbsolute(entry.url) {
            self.entries.append(entry.sanitizedEntry)
            // If the current page is omitted, the page before it becomes the current page.
            if index <= clampedIndex { self.currentIndex = self.entries.count - 1 }
        }
        if !self.entries.isEmpty, self.currentIndex == nil { self.currentIndex = 0 }
        removeExcessEntries()
    }

    /// The current page, or `nil` if there are no pages.
    public internal(set) var current: Entry? {
        get { currentIndex.map { entries[$0] } }
        set { if let currentIndex, let newValue { entries[currentIndex] = newValue } }
    }

    /// Whether there is a page before the current page.
    public var canGoBack: Bool { (currentIndex ?? 0) > 0 }

    /// Whether there is a page after the current page.
    public var canGoForward: Bool { currentIndex.map { $0 + 1 < entries.count } ?? false }

    /// Replaces the pages after the current page with a new page, which becomes the current page.
    mutating func add(_ url: URL) {
        if let currentIndex { entries.removeSubrange((currentIndex + 1)...) }
        entries.append(Entry(url: url, title: "", contentOffset: .zero, zoomScale: 1))
        currentIndex = entries.count - 1
        removeExcessEntries()
    }

    /// Goes back one page, if possible.
    mutating func goBack() {
        if canGoBack, let currentIndex { self.currentIndex = currentIndex - 1 }
    }

    /// Goes forward one page, if possible.
    mutating func goForward() {
        if canGoForward, let currentIndex { self.currentIndex = currentIndex + 1 }
    }

    /// Returns the absolute URL for a string, or `nil` if the string is not an absolute URL or is too long.
    static func url(of address: String) -> URL? {
        URL(string: address).flatMap { isAbsolute($0) ? $0 : nil }
    }

    private static func isAbsolute(_ url: URL) -> Bool {
        url.scheme?.isEmpty == false && url.absoluteString.utf8.count <= maximumAddressBytes
    }

    /// Removes the oldest pages before the current page until the history no longer exceeds the maximum.
    ///
    /// If there are too few pages before the current page, the newest pages are removed as well.
    private mutating func removeExcessEntries() {
        let excessCount = entries.count - Self.maximumEntries
        guard excessCount > 0, let currentIndex else { return }
        let removedFirstCount = min(excessCount, currentIndex)
        entries.removeFirst(removedFirstCount)
        entries.removeLast(excessCount - removedFirstCount)
        self.currentIndex = currentIndex - removedFirstCount
    }
}

extension WebHistory.Entry {
    /// A copy of the entry with invalid numbers replaced and the title limited to the maximum length.
    fileprivate var sanitizedEntry: Self {
        var entry = self
        entry.title = String(title.prefix(WebHistory.maximumTitleLength))
        if !contentOffset.isFinite { entry.contentOffset = .zero }
        if !zoomScale.isFinite || zoomScale <= 0 { entry.zoomScale = 1 }
        return entry
    }
}
