#include "CSimdjson.h"

#include <simdjson.h>

extern "C" long long csimdjson_sum(const char *text, size_t length) {
    static simdjson::dom::parser parser;
    simdjson::dom::array orders;
    if (parser.parse(text, length)["orders"].get(orders) != simdjson::SUCCESS) return -1;
    long long sum = 0;
    for (simdjson::dom::element order : orders) {
        simdjson::dom::array items;
        if (order["items"].get(items) != simdjson::SUCCESS) return -1;
        for (simdjson::dom::element item : items) {
            int64_t count;
            if (item["count"].get(count) != simdjson::SUCCESS) return -1;
            sum += count;
        }
    }
    return sum;
}
