// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "WebQueue",
    products: [
        .executable(name: "webqueue", targets: ["RepriseServer"]),
        .executable(name: "webqueue-grdb", targets: ["GRDBServer"]),
        .executable(name: "webqueue-json", targets: ["JSONServer"]),
    ],
    dependencies: [
        .package(name: "reprise", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The service, which consists of routes, sessions and a worker, and works with any store.
        .target(
            name: "WebQueue",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // A driver that stores the values of Hummingbird's persist framework in a Reprise collection.
        .target(
            name: "ReprisePersist",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Preservation", package: "reprise"),
            ]),
        .executableTarget(
            name: "RepriseServer",
            dependencies: [
                "ReprisePersist", "WebQueue",
                .product(name: "Preservation", package: "reprise"),
            ]),
        // The same service with SQLite or a JSON file as its store.
        .executableTarget(
            name: "GRDBServer",
            dependencies: ["WebQueue", .product(name: "GRDB", package: "GRDB.swift")]),
        .executableTarget(name: "JSONServer", dependencies: ["WebQueue"]),
        .testTarget(
            name: "WebQueueTests",
            dependencies: [
                "GRDBServer", "JSONServer", "RepriseServer",
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "RestorationTesting", package: "reprise"),
            ],
            exclude: ["Archives"]),
    ]
)
