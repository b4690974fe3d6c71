import ExactText

/// The number of each client's last operation on a scene.
///
/// A client that receives no reply repeats its operation. The scene's record stores the numbers, so the program
/// recognizes a repeated operation even if it was killed after it had saved the operation.
package struct LastOperationNumbers: Sendable, Equatable {
    /// Maximum number of clients. A further client replaces the client that has been inactive the longest.
    package static let maximumClients = 64

    private struct Entry: Sendable, Equatable {
        let clientID: String
        let number: Int

        static func == (left: Entry, right: Entry) -> Bool {
            left.clientID == right.clientID && left.number == right.number
        }
    }

    /// Entries in the order of the clients' last operations.
    private var entries: [Entry] = []

    /// Creates an empty list.
    package init() {}

    /// Creates a list from stored values. If the arrays differ in length, surplus elements are ignored.
    init(clientIDs: [String], operationNumbers: [Int]) {
        entries = zip(clientIDs, operationNumbers).suffix(Self.maximumClients).map(Entry.init)
    }

    /// Clients in the order of their last operations.
    var clientIDs: [String] { entries.map(\.clientID) }
    /// Number of each client's last operation, in the order of ``clientIDs``.
    var operationNumbers: [Int] { entries.map(\.number) }

    /// Returns the number of a client's last operation, or `nil` if the client is unknown.
    package func lastOperationNumber(of clientID: String) -> Int? {
        entries.last { $0.clientID == clientID }?.number
    }

    /// Records an operation as the client's last operation.
    package mutating func record(_ number: Int, of clientID: String) {
        entries.removeAll { $0.clientID == clientID }
        entries =
            entries.suffix(Self.maximumClients - 1)
            + [Entry(clientID: clientID, number: number)]
    }
}
