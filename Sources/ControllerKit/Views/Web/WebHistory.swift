import ExactText
public import FoundationEssentials

/// The pages that a web view was at, the oldest first, and the one that it is at.
public struct WebHistory: Sendable, Hashable {
    /// The most pages that are kept; the oldest go.
    public static let mostEntries = 100
    /// The most bytes of a URL.
    public static let mostAddressBytes = 4096
    /// The most characters of a title that are kept.
    public static let longestTitle = 200

    /// A page that a web view was at.
    public struct Entry: Codable, Sendable, Hashable {
        /// Where the page is.
        public let url: URL
        /// Its title when it was seen last.
        public internal(set) var title: String
        /// How far it was scrolled.
        public internal(set) var contentOffset: Point
        /// How much it was enlarged.
        public internal(set) var zoomScale: Double
    }

    /// The pages.
    public private(set) var entries: [Entry] = []
    /// The number of the page that is shown, counted from 0; nil: there is none.
    public private(set) var currentIndex: Int?

    /// No pages.
    init() {}

    /// Pages that were saved. Of what they hold only that is taken which can be.
    init(entries: [Entry], currentIndex: Int?) {
        let current = min(max(currentIndex ?? 0, 0), max(0, entries.count - 1))
        for (index, entry) in entries.enumerated() where Self.isAbsolute(entry.url) {
            self.entries.append(entry.sound)
            // Of a page that cannot be shown, the one before it is taken.
            if index <= current { self.currentIndex = self.entries.count - 1 }
        }
        if !self.entries.isEmpty, self.currentIndex == nil { self.currentIndex = 0 }
        limit()
    }

    /// The page that is shown.
    public internal(set) var current: Entry? {
        get { currentIndex.map { entries[$0] } }
        set { if let currentIndex, let newValue { entries[currentIndex] = newValue } }
    }

    /// Whether there is a page before the one that is shown.
    public var canGoBack: Bool { (currentIndex ?? 0) > 0 }

    /// Whether there is a page behind the one that is shown.
    public var canGoForward: Bool { currentIndex.map { $0 + 1 < entries.count } ?? false }

    /// Goes to a new page; those behind the one that was shown are dropped.
    mutating func add(_ url: URL) {
        if let currentIndex { entries.removeSubrange((currentIndex + 1)...) }
        entries.append(Entry(url: url, title: "", contentOffset: .zero, zoomScale: 1))
        currentIndex = entries.count - 1
        limit()
    }

    /// Goes back by one page, if there is one.
    mutating func goBack() {
        if canGoBack, let currentIndex { self.currentIndex = currentIndex - 1 }
    }

    /// Goes forward by one page, if there is one.
    mutating func goForward() {
        if canGoForward, let currentIndex { self.currentIndex = currentIndex + 1 }
    }

    /// The absolute URL of a text; nil if it is none, or too long.
    static func url(of address: String) -> URL? {
        URL(string: address).flatMap { isAbsolute($0) ? $0 : nil }
    }

    private static func isAbsolute(_ url: URL) -> Bool {
        url.scheme?.isEmpty == false && url.absoluteString.utf8.count <= mostAddressBytes
    }

    /// Drops the oldest of too many pages and, if that is not enough, the last ones.
    private mutating func limit() {
        let excess = entries.count - Self.mostEntries
        guard excess > 0, let currentIndex else { return }
        let oldest = min(excess, currentIndex)
        entries.removeFirst(oldest)
        entries.removeLast(excess - oldest)
        self.currentIndex = currentIndex - oldest
    }
}

extension WebHistory.Entry {
    /// The entry with numbers that can be.
    fileprivate var sound: Self {
        var entry = self
        entry.title = String(title.prefix(WebHistory.longestTitle))
        if !contentOffset.isFinite { entry.contentOffset = .zero }
        if !zoomScale.isFinite || zoomScale <= 0 { entry.zoomScale = 1 }
        return entry
    }
}
