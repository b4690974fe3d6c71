import ExactText

/// Numbers of the last operations that clients have performed on a scene.
///
/// A client that receives no reply repeats its operation. The scene's record stores the numbers, so that the repeated
/// operation is recognized even if the program was killed after the operation had been saved.
package struct PerformedOperations: Sendable, Equatable {
    /// Maximum number of clients. When it is exceeded, the client that has been inactive the longest is removed.
    package static let maximumClients = 64

    private struct Entry: Sendable, Equatable {
        let client: String
        let number: Int

        static func == (one: Entry, other: Entry) -> Bool {
            one.client == other.client && one.number == other.number
        }
    }

    /// Entries in the order of the clients' last operations.
    private var entries: [Entry] = []

    /// Creates an empty list.
    package init() {}

    /// Creates a list from stored values. If the arrays differ in length, surplus elements are ignored.
    init(clients: [String], numbers: [Int]) {
        entries = zip(clients, numbers).suffix(Self.maximumClients).map(Entry.init)
    }

    /// Clients in the order of their last operations.
    var clients: [String] { entries.map(\.client) }
    /// Number of each client's last operation, in the order of ``clients``.
    var numbers: [Int] { entries.map(\.number) }

    /// Returns the number of a client's last operation, or `nil` if the client is unknown.
    package func lastNumber(of client: String) -> Int? {
        entries.last { $0.client == client }?.number
    }

    /// Records an operation as the client's last operation.
    package mutating func record(_ number: Int, of client: String) {
        entries.removeAll { $0.client == client }
        entries = entries.suffix(Self.maximumClients - 1) + [Entry(client: client, number: number)]
    }
}
