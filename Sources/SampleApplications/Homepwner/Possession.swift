import FoundationEssentials

/// An item that the user owns.
struct Possession: Codable, Identifiable {
    /// The permanent, unique identifier of the possession.
    let id: UUID
    var name = ""
    var serialNumber = ""
    /// The value in the smallest unit of the currency.
    var value = 0

    init() {
        id = UUID()
    }
}
