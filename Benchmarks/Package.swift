// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "reprise-benchmarks",
    dependencies: [
        // Only the public interface is used, so that earlier versions can also be measured.
        .package(name: "reprise", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // A library to compare with. Requires libsqlite3-dev.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Bench",
            dependencies: [
                .product(name: "Encryption", package: "reprise"),
                .product(name: "Preservation", package: "reprise"),
                .product(name: "StateRestoration", package: "reprise"),
                .product(name: "Varlink", package: "reprise"),
                "CSimdjson",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["JSON/org.example.Orders.varlink"],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        // simdjson, a library to compare with. Requires libsimdjson-dev.
        .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
        // A minimal C program for comparison.
        .executableTarget(name: "BarePeer", linkerSettings: [.linkedLibrary("systemd")]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
