import FoundationEssentials
import StateRestoration

/// Deadlines of a collection's elements. An element is removed after its deadline has passed.
///
/// The deadlines form a binary heap. When an element changes, its earlier deadline remains in the heap and is ignored.
/// If the deadline did not change, the heap contains it twice, which has no effect.
///
/// `Stored` is the class of the objects that hold the elements.
struct ElementDeadlines<Stored: AnyObject> {
    private struct Entry {
        let deadline: Date
        let storedElement: Stored
    }

    /// Closure that returns the current deadline of an element, or `nil` if the element does not expire or was removed.
    private let deadline: @Sendable (Stored) -> Date?
    /// Closure that returns the wall-clock time in microseconds since 1970-01-01 UTC.
    private let now: @Sendable () -> Int64
    private var heap: [Entry] = []

    init(_ deadline: @escaping @Sendable (Stored) -> Date?, now: @escaping @Sendable () -> Int64) {
        self.deadline = deadline
        self.now = now
    }

    private func currentDeadline(of storedElement: Stored) -> Date? {
        guard let deadline = deadline(storedElement),
            !deadline.timeIntervalSinceReferenceDate.isNaN
        else { return nil }
        return deadline
    }

    /// Adds the deadline of an element that has been added or changed.
    ///
    /// - Parameter allElements: All elements of the collection.
    mutating func insert(
        _ storedElement: Stored,
        of allElements: some Collection<Stored>
    ) {
        guard let deadline = currentDeadline(of: storedElement) else { return }
        if heap.count > 2 * allElements.count + 64 {
            removeStaleDeadlines(of: allElements)
        } else {
            heap.append(Entry(deadline: deadline, storedElement: storedElement))
            moveUp(from: heap.count - 1)
        }
    }

    /// Returns the earliest deadline, or `nil` if no element expires.
    mutating func earliestDeadline() -> Date? {
        while let first = heap.first {
            if currentDeadline(of: first.storedElement) == first.deadline { return first.deadline }
            removeFirst()
        }
        return nil
    }

    /// Removes and returns an element whose deadline has passed, or returns `nil` if no deadline has passed.
    mutating func popExpired() -> Stored? {
        // The clock counts microseconds, but a `Date` stores a rounded value.
        guard let deadline = earliestDeadline(),
            deadline.timeIntervalSince(Date(microseconds: now())) < 0.000_001
        else { return nil }
        return removeFirst().storedElement
    }

    private mutating func removeStaleDeadlines(
        of allElements: some Collection<Stored>
    ) {
        heap = allElements.compactMap { storedElement in
            currentDeadline(of: storedElement).map {
                Entry(deadline: $0, storedElement: storedElement)
            }
        }
        // A sorted array is a heap.
        heap.sort { $0.deadline < $1.deadline }
    }

    @discardableResult
    private mutating func removeFirst() -> Entry {
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        moveDown()
        return first
    }

    private mutating func moveUp(from index: Int) {
        var index = index
        while index > 0, heap[index].deadline < heap[(index - 1) / 2].deadline {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func moveDown() {
        var index = 0
        while true {
            let children = (2 * index + 1)..<min(2 * index + 3, max(heap.count, 2 * index + 1))
            guard let child = children.min(by: { heap[$0].deadline < heap[$1].deadline }),
                heap[child].deadline < heap[index].deadline
            else { return }
            heap.swapAt(index, child)
            index = child
        }
    }
}
