"""Figures of the literature, each with its source; tests and benchmarks hold ours against them."""

# IL1 in percent by file and k. Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz & Sebe (2006), VLDB Journal
# 15(4), 355-369, for k = 3, 5, 10; k = 4, 25, 50, 100 from later comparisons that repeat them.
MDAV = {
    "tarragona": {3: 16.932, 4: 19.545, 5: 22.461, 10: 33.192, 25: 46.975, 50: 58.526, 100: 69.550},
    "census": {3: 5.692, 4: 7.494, 5: 9.088, 10: 14.155, 25: 21.402, 50: 28.996, 100: 39.063},
    "eia": {3: 0.483, 5: 1.667, 10: 3.840},
}
