import CSimdjson
import Foundation
import Varlink

/// Benchmarks for reading and writing about 1 MB of JSON with generated code.
///
/// The peers are Foundation's `JSONDecoder` and `JSONEncoder`. The limit for reading is simdjson,
/// which parses the text but does not create Swift values.
struct JSONMeasures {
    let run: Run
    let results: Results

    private typealias Reply = OrdersInterface.ListCall.Reply

    /// Number of orders that results in about 1 MB of text.
    private static let orderCount = 3300

    @LoopActor func measure() async throws {
        let orders = (0..<Self.orderCount).map(Self.order)
        let text = try JSONText.write(Reply(orders: orders))
        let codable = Orders(orders: orders.map(Order.init))
        let decoded = try JSONDecoder().decode(Orders.self, from: Data(text))
        let sum = orders.reduce(0) { $0 + $1.items.reduce(0) { $0 + $1.count } }
        guard decoded == codable, try JSONText.read(Reply.self, from: text).orders == orders,
            simdjsonSum(text) == sum
        else { throw Failure("the programs do not read the same values") }

        let size = String(format: "%.2f", Double(text.count) / 1e6)
        let reading = Measure("reading \(size) MB of JSON", .milliseconds)
        let writing = Measure("writing \(size) MB of JSON", .milliseconds)
        let data = Data(text)
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        // The first round is a warm-up.
        for round in 0...run.rounds * 10 {
            let target = round == 0 ? Results() : results
            try await target.time(reading) { _ = try JSONText.read(Reply.self, from: text) }
            try await target.time(reading, of: .peer("JSONDecoder")) {
                _ = try decoder.decode(Orders.self, from: data)
            }
            try await target.time(reading, of: .limit) {
                guard simdjsonSum(text) == sum else { throw Failure("simdjson cannot read") }
            }
            let reply = Reply(orders: orders)
            try await target.time(writing) { _ = try JSONText.write(reply) }
            try await target.time(writing, of: .peer("JSONEncoder")) {
                _ = try encoder.encode(codable)
            }
        }
    }

    private func simdjsonSum(_ text: [UInt8]) -> Int {
        text.withUnsafeBytes {
            Int(csimdjson_sum($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count))
        }
    }

    private static func order(_ number: Int) -> OrdersInterface.Order {
        let items = (0..<4).map { position in
            OrdersInterface.Item(
                article: "Article \(number * 7 + position)", count: position + 1,
                price: Double(number % 100) + 0.25 * Double(position))
        }
        return OrdersInterface.Order(
            number: number, customer: "Zoë \"\(number)\" Müller", paid: number % 2 == 0,
            note: number % 3 == 0 ? "Call before delivery.\nSecond door." : nil, items: items)
    }
}

/// The message as a type for `JSONDecoder` and `JSONEncoder`.
private struct Orders: Codable, Equatable {
    var orders: [Order]
}

private struct Order: Codable, Equatable {
    var number: Int
    var customer: String
    var paid: Bool
    var note: String?
    var items: [Item]

    struct Item: Codable, Equatable {
        var article: String
        var count: Int
        var price: Double
    }

    init(_ order: OrdersInterface.Order) {
        number = order.number
        customer = order.customer
        paid = order.paid
        note = order.note
        items = order.items.map { Item(article: $0.article, count: $0.count, price: $0.price) }
    }
}
